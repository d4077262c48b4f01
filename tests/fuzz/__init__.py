"""Every public door of the four packages, called with what does not fit.

A call with a wrong shape, dtype, size, NaN, infinity, empty or non-contiguous array either raises one of the packages'
named errors (or a TypeError or ValueError that names the argument), or answers as the same call on a clean copy does.

- `discovery` finds the public names by walking every `__all__`;
- `recipe` says how to call one well: a `Case` has a function and good arguments; `recipes_PACKAGE.py` holds them;
- `mutations` lists what is put in the place of a good argument;
- `rule` makes the calls and judges what comes of them;
- `worker` and `pool` do so in another process, so that its death is a failure and not the end.

A new public name needs a recipe (or an `exempt` line with a reason) in the file of its package; the test says so.
"""
