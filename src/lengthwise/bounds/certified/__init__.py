"""The certified length: how long training inputs have to be for one model, exactly or from above."""
