# SPDX-License-Identifier: Apache-2.0
"""`stoker.ImageLoader`: batches from the C++ engine as torch tensors."""

from .errors import SampleError
from .image_loader import ImageLoader
from .stats import Stats

__all__ = ["ImageLoader", "SampleError", "Stats"]
