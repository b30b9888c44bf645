"""Tasks that the field compares models on: tracking states, flip-flops, nested brackets, blocks, associative recall."""

from lengthwise.tasks.field.alternating_blocks import AlternatingBlocks
from lengthwise.tasks.field.associative_recall import AssociativeRecall
from lengthwise.tasks.field.bounded_dyck import BoundedDyck
from lengthwise.tasks.field.flip_flop import FlipFlop
from lengthwise.tasks.field.state_tracking import StateTracking

__all__ = ["AlternatingBlocks", "AssociativeRecall", "BoundedDyck", "FlipFlop", "StateTracking"]
