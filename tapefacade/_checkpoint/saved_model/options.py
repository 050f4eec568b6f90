"""`tf.saved_model.SaveOptions` and `LoadOptions`."""

from typing import Any

from tapefacade._definition.op import function


@function("saved_model.SaveOptions")
class SaveOptions:
    """How a model is saved; accepted for TensorFlow's sake, without effect.

    Args:
        **options: TensorFlow's options.

    >>> options = tf.saved_model.SaveOptions()
    """

    NAMES = (
        "namespace_whitelist", "save_debug_info", "function_aliases",
        "experimental_debug_stripper", "experimental_io_device", "experimental_variable_policy",
        "experimental_custom_gradients", "experimental_image_format", "experimental_skip_saver",
        "experimental_sharding_callback", "extra_tags",
    )  # fmt: skip

    def __init__(self, **options: Any) -> None:
        _take(self, self.NAMES, options)


@function("saved_model.LoadOptions")
class LoadOptions:
    """How a model is loaded; accepted for TensorFlow's sake, without effect.

    Args:
        **options: TensorFlow's options.

    >>> options = tf.saved_model.LoadOptions()
    """

    NAMES = (
        "allow_partial_checkpoint", "experimental_io_device", "experimental_skip_checkpoint",
        "experimental_variable_policy", "experimental_load_function_aliases",
    )  # fmt: skip

    def __init__(self, **options: Any) -> None:
        _take(self, self.NAMES, options)


def _take(holder: Any, names: tuple[str, ...], options: dict[str, Any]) -> None:
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise TypeError(f"There are no options {', '.join(unknown)}.")
    for name in names:
        setattr(holder, name, options.get(name))
