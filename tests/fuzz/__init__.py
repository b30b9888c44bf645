"""Hostile inputs, made at random from good ones: each must end in success or in an error of ours."""
