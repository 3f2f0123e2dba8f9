# SPDX-License-Identifier: Apache-2.0
"""Changes that stoker can make to a training script from outside, one folder each.

A lever's folder holds `lever.toml` (what people read about it) and, where it changes torch, a
module with two functions: `refuse(case)` gives the reason why it must not be applied here, or "",
and `apply(case)` applies it and gives a function that takes it back. `plan` decides when.
"""
