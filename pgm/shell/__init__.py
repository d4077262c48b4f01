"""The shell: a group of commands that starts quickly and ends in order, and the commands of factor graphs.

`pgm.shell.command.main` has the commands of this package alone (`python -m pgm.shell`); the command `tacana` has more.
"""

__all__: list[str] = []
