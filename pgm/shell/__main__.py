"""`python -m pgm.shell`: the commands of factor graphs."""

from pgm.shell.command import main

if __name__ == "__main__":
    main(prog_name="tacana")
