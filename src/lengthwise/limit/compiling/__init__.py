"""From C-RASP programs to Limit Transformers, with the length to which floating point changes nothing."""
