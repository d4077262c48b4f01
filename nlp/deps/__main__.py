"""`python -m nlp.deps` is the command `tacana`."""

from nlp.command import main

if __name__ == "__main__":
    main(prog_name="tacana")
