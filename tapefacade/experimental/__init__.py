"""Experimental names: `tf.experimental`."""

from tapefacade._config.tpu import (
    async_clear_error as async_clear_error,
    async_scope as async_scope,
    function_executor_type as function_executor_type,
)
from tapefacade._core.dtypes import (
    float4_e2m1fn as float4_e2m1fn,
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    int2 as int2,
    int4 as int4,
    uint2 as uint2,
    uint4 as uint4,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._core.optional import Optional as Optional
from tapefacade._extension.api_dispatch import (
    dispatch_for_api as dispatch_for_api,
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for as unregister_dispatch_for,
)
from tapefacade._extension.extension_type import (
    BatchableExtensionType as BatchableExtensionType,
    ExtensionType as ExtensionType,
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
    ExtensionTypeSpec as ExtensionTypeSpec,
)
from tapefacade._ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from tapefacade._ragged.row_partition import RowPartition as RowPartition
from tapefacade.experimental import (
    dlpack as dlpack,
    dtensor as dtensor,
    extension_type as extension_type,
    numpy as numpy,
)

__getattr__ = _missing_attribute(__name__)
