"""Tensors that are divided over meshes of devices: `tf.experimental.dtensor`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.dtensor import (
    MATCH as MATCH,
    UNSHARDED as UNSHARDED,
    DVariable as DVariable,
    Layout as Layout,
    Mesh as Mesh,
    barrier as barrier,
    call_with_layout as call_with_layout,
    check_layout as check_layout,
    client_id as client_id,
    copy_to_mesh as copy_to_mesh,
    create_distributed_mesh as create_distributed_mesh,
    create_mesh as create_mesh,
    default_mesh as default_mesh,
    fetch_layout as fetch_layout,
    full_job_name as full_job_name,
    get_default_mesh as get_default_mesh,
    heartbeat_enabled as heartbeat_enabled,
    initialize_accelerator_system as initialize_accelerator_system,
    initialize_multi_client as initialize_multi_client,
    initialize_tpu_system as initialize_tpu_system,
    is_dtensor as is_dtensor,
    job_name as job_name,
    jobs as jobs,
    local_devices as local_devices,
    num_clients as num_clients,
    num_global_devices as num_global_devices,
    num_local_devices as num_local_devices,
    pack as pack,
    preferred_device_type as preferred_device_type,
    relayout as relayout,
    relayout_like as relayout_like,
    run_on as run_on,
    shutdown_accelerator_system as shutdown_accelerator_system,
    shutdown_tpu_system as shutdown_tpu_system,
    unpack as unpack,
)
from tapefacade._distribute.dtensor_inputs import (
    DTensorCheckpoint as DTensorCheckpoint,
    DTensorDataset as DTensorDataset,
)

__getattr__ = _missing_attribute(__name__)
