"""Mutated inputs for the readers of foreign text, millions of them: `python -m tests.fuzz`, or `make fuzz`.

`corpus` has real and hostile inputs of each reader, `mutations` changes them, `readers` says what must hold for any
input, and `runs` reads the inputs in several processes and reports those that fail.
"""
