"""`tf.experimental.dtensor`: meshes, layouts and tensors divided over them, as JAX's shardings."""

import contextlib
import enum
import itertools
import math
import os
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from tapefacade._config.devices import (
    LogicalDeviceConfiguration,
    jax_devices,
    list_physical_devices,
    set_logical_device_configuration,
)
from tapefacade._core import errors, nest
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.device_spec import DeviceSpec
from tapefacade._core.error_texts import invalid
from tapefacade._core.missing_members import NO_PROTO, Advising, lacks
from tapefacade._core.process_group import PROCESSES, barrier as process_barrier
from tapefacade._core.tensor import EagerTensor, from_array, hinted
from tapefacade._core.thread_state import ThreadState
from tapefacade._core.value_text import name_of_device
from tapefacade._distribute.worker_processes import join
from tapefacade._state.sharding import laid_out
from tapefacade._state.variable import ResourceVariable, Variable
from tapefacade._trace.recording import THREAD

UNSHARDED = "unsharded"
MATCH = "match"
MeshDimension = namedtuple("MeshDimension", ["name", "size"])
MESSAGE_DIMENSION = "Dimension {} does not exist in mesh.Available dimensions: {}"
MESSAGE_SIZE = "length of devices ({}) must be equal to total size of the mesh of shape {}"
MESSAGE_SPEC = "{}: A dimension sharding must either be a valid mesh dimension or UNSHARDED."
MESSAGE_REPEATED = (
    "Mesh dimension {} was repeated in sharding specification {}. Mesh dimensions must be unique "
    "in a layout."
)
MESSAGE_OFFSET = (
    "Mesh offset cannot be negative or exceed Mesh's size. Offset size:{} and Mesh size:{}"
)
MESSAGE_SPMD = "XLA SPMD is not currently not supported for CPU mesh."
HINT_SPMD = "Leave `use_xla_spmd` out: XLA always divides the program here."
PARTED, SHARDED = "parted:", "sharding_specs:"  # how texts of layouts begin
SINGLE = "maximal:true,"
MESSAGE_SINGLE = "type is single device, but mesh is not single device"
HINT_SINGLE = (
    "A mesh of Mesh.from_device has no axes: write Layout.from_single_device_mesh(mesh), or make a "
    "mesh of one device by create_mesh([('x', 1)], devices=[name])."
)
MESSAGE_NOT_SINGLE = "The mesh {} is not one of a single device."
HINT_DEVICE = "Name a device: Mesh.from_device('CPU:0')."
MESSAGE_PLAIN = "FetchLayout expects a tensor placed on the layout device."
MESSAGE_UNPACK = (
    "DTensorUnpack expects a tensor placed on the DTensor device, but input was placed on device: "
    "{}"
)
MESSAGE_COUNT = "The dtensor device expected {} inputs to DTensorPack, but got {}"
MESSAGE_SHAPES = "Components of a PackedTensor must currently all have the same shape"
MESSAGE_NO_LAYOUT = "Neither layout nor DTensor initial value are provided."
MESSAGE_CONFLICT = (
    "Conflicting layout are provided for initial value layout ({}) and variable ({})."
)
MESSAGE_UNNAMED = (
    "The tensor is divided as {} says, which no Layout can: use `tensor.__jax_array__().sharding`."
)
MESSAGE_GLOBAL_SIZE = (
    "Global number of devices ({} per client * {} clients = {}) must be equal to total size of the "
    "mesh of shape {}"
)
MESSAGE_INITIALIZED = (
    "Accelerator system has already been initialized. Call "
    "tf.experimental.dtensor.shutdown_accelerator_system() first."
)
MESSAGE_STARTED = (
    "TensorFlow has already been initialized. "
    "tf.experimental.dtensor.initialize_accelerator_system() must be called before TensorFlow is "
    "initialized."
)
HINT_STARTED = "Call it before the first op, and before devices are listed."
MESSAGE_NOT_INITIALIZED = (
    "Accelerators are uninitialized, please run dtensor.initialize_accelerator_system() first."
)
MESSAGE_CHECK = "Layout of tensor: {}, did not match expected layout: {}"


@lacks({"as_proto from_proto": NO_PROTO})
class Mesh(metaclass=Advising):
    """Devices in a grid whose axes have names: a `jax.sharding.Mesh` under TensorFlow's names.

    Args:
        dim_names: the names of the axes.
        global_device_ids: the numbers of the devices, in the shape of the grid.
        local_device_ids: those of them that belong to this process.
        local_devices: the names of these devices, or `tf.DeviceSpec`s.
        mesh_name: a name.
        global_devices: the names of all devices; by default those of this process.
        use_xla_spmd: accepted for TensorFlow's sake: XLA always divides the program.

    Raises:
        ValueError: if a name is no text, or the devices are not there.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> mesh.shape(), mesh.dim_names, mesh.device_type()
    ([1], ['x'], 'CPU')

    See https://www.tensorflow.org/api_docs/python/tf/experimental/dtensor/Mesh.
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: np.ndarray[Any, Any],
        local_device_ids: Sequence[int],
        local_devices: Sequence[Any],
        mesh_name: str = "",
        global_devices: Sequence[Any] | None = None,
        use_xla_spmd: bool = False,
    ) -> None:
        if not all(isinstance(name, str) for name in dim_names):
            raise ValueError("Dimension names must be strings.")
        self._names = list(dim_names)
        self._ids = np.asarray(global_device_ids)
        self._local_ids = [int(number) for number in local_device_ids]
        specs = [
            DeviceSpec.from_string(device) if isinstance(device, str) else device
            for device in global_devices or local_devices
        ]
        here = DeviceSpec(job_name(), 0, client_id())
        self._devices = [here.make_merged_spec(spec).to_string() for spec in specs]
        self._name = mesh_name
        self._global_devices = list(global_devices or ())
        if use_xla_spmd and self.device_type() == "CPU":
            raise hinted(ValueError(MESSAGE_SPMD), HINT_SPMD)
        self._spmd = use_xla_spmd
        clients = range(num_clients()) if len(specs) < self.size else [None]
        every = [_device_of(spec, client) for client in clients for spec in specs]
        found = np.array(every).reshape(self._ids.shape)
        kinds = (AxisType.Auto,) * len(self._names)
        self._mesh = jax.sharding.Mesh(found, tuple(self._names), axis_types=kinds)
        _MESHES[self._mesh] = self

    @classmethod
    def from_string(cls, mesh_str: str) -> "Mesh":
        """Makes a mesh of what `to_string` returns."""
        if "|" not in mesh_str:
            return cls.from_device(mesh_str)
        name, dims, numbers, local, devices = mesh_str.split("|")[:5]
        pairs = [part.split("=") for part in dims.split(",")]
        shape = [int(size) for _, size in pairs]
        ids = np.array([int(number) for number in numbers.split(",")]).reshape(shape)
        own = [int(number) for number in local.split(",")]
        return cls([name for name, _ in pairs], ids, own, devices.split(","), name)

    @classmethod
    def from_device(cls, device: str) -> "Mesh":
        """Makes a mesh of one device, without axes.

        Unlike TensorFlow, where it has no devices, it has that one.

        Args:
            device: the name of the device.

        Raises:
            ValueError: if there is no such device.

        >>> mesh = tf.experimental.dtensor.Mesh.from_device("CPU:0")
        >>> mesh.is_single_device(), mesh.dim_names
        (True, [])
        """
        if not device:
            raise hinted(ValueError("Single device is empty."), HINT_DEVICE)
        return cls([], np.zeros((), np.int64), [0], [device])

    @property
    def dim_names(self) -> list[str]:
        """The names of the axes."""
        return list(self._names)

    @property
    def name(self) -> str:
        """The name of the mesh."""
        return self._name

    @property
    def size(self) -> int:
        """The number of devices."""
        return int(self._ids.size)

    @property
    def strides(self) -> list[int]:
        """How far apart the neighbours on each axis are in the list of devices."""
        return [math.prod(self.shape()[axis + 1 :]) for axis in range(len(self._names))]

    def shape(self) -> list[int]:
        """Returns the sizes of the axes."""
        return list(self._ids.shape)

    def dim_size(self, dim_name: str) -> int:
        """Returns the size of an axis.

        Raises:
            ValueError: if there is none of that name.
        """
        if dim_name not in self._names:
            raise ValueError(MESSAGE_DIMENSION.format(dim_name, ",".join(self._names)))
        return self.shape()[self._names.index(dim_name)]

    def contains_dim(self, dim_name: str) -> bool:
        """Returns whether an axis has that name."""
        return dim_name in self._names

    def __contains__(self, dim_name: str) -> bool:
        return self.contains_dim(dim_name)

    def __getitem__(self, dim_name: str) -> MeshDimension:
        return MeshDimension(dim_name, self.dim_size(dim_name))

    def device_type(self) -> str:
        """Returns the kind of the devices: "CPU", "GPU" or "TPU"."""
        return self._devices[0].rsplit(":", 2)[1]

    def local_devices(self) -> list[str]:
        """Returns the names of the devices of this process."""
        return list(self._devices)

    def local_device_ids(self) -> list[int]:
        """Returns the numbers of the devices of this process."""
        return list(self._local_ids)

    def global_device_ids(self) -> np.ndarray[Any, Any]:
        """Returns the numbers of all devices, in the shape of the grid."""
        return self._ids.copy()

    def num_local_devices(self) -> int:
        """Returns how many devices belong to this process."""
        return len(self._local_ids)

    def _own_devices(self) -> list[Any]:
        """Returns JAX's devices of the mesh that belong to this process, in its order."""
        here = jax.process_index()
        return [device for device in self._mesh.devices.flat if device.process_index == here]

    def min_global_device_id(self) -> int:
        """Returns the smallest number of a device."""
        return int(self._ids.min())

    def is_remote(self) -> bool:
        """Returns whether no device belongs to this process."""
        return not self._local_ids

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """Returns the place of each device on each axis."""
        places = itertools.product(*map(range, self.shape()))
        return {i: dict(zip(self._names, place, strict=True)) for i, place in enumerate(places)}

    def local_device_locations(self) -> list[dict[str, int]]:
        """Returns the places of the devices of this process."""
        places = self.unravel_index()
        first = self.min_global_device_id()
        return [places[number - first] for number in self._local_ids]

    def coords(self, device_idx: int) -> EagerTensor:
        """Returns the place of a device, as a tensor."""
        return convert(np.array(np.unravel_index(device_idx, self._ids.shape), np.int32))

    def device_location(self, offset: int) -> list[int]:
        """Returns the place of a device on each axis.

        Raises:
            ValueError: if there are not so many devices.
        """
        if not 0 <= offset < self.size:
            raise ValueError(MESSAGE_OFFSET.format(offset, self.size))
        return [int(place) for place in np.unravel_index(offset, self._ids.shape)]

    def global_devices(self) -> list[Any]:
        """Returns the names of the devices of all processes, if they were given."""
        return list(self._global_devices)

    def use_xla_spmd(self) -> bool:
        """Returns the argument of that name; XLA always divides the program."""
        return self._spmd

    def is_single_device(self) -> bool:
        """Returns whether it is one of a device, without axes: see `from_device`."""
        return not self._names

    @property
    def single_device(self) -> str:
        """The name of the device of a mesh that has no axes; else empty."""
        return self._devices[0] if self.is_single_device() else ""

    def host_mesh(self) -> "Mesh":
        """Returns a mesh of this shape of CPUs.

        Raises:
            ValueError: if there are not as many CPUs.
        """
        if self.device_type() == "CPU":
            return self
        dims = list(zip(self._names, self.shape(), strict=True))
        return create_mesh(dims, devices=[f"CPU:{number}" for number in range(self.size)])

    def to_string(self) -> str:
        """Returns the mesh as a text, of which `from_string` makes it anew."""
        if self.is_single_device():
            return self.single_device
        dims = ",".join(f"{n}={s}" for n, s in zip(self._names, self.shape(), strict=True))
        numbers = ",".join(map(str, self._ids.reshape(-1).tolist()))
        local = ",".join(map(str, self._local_ids))
        return f"{self._name}|{dims}|{numbers}|{local}|{','.join(self._devices)}"

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __reduce__(self) -> tuple[Any, ...]:
        return _mesh_of_text, (self.to_string(),)


_MESHES: dict[Any, Mesh] = {}  # by those of JAX, so that the layout of a value has its mesh's name


def _device_of(spec: DeviceSpec, client: int | None = None) -> Any:
    """Returns JAX's device.

    Args:
        spec: its name.
        client: the process that has it; by default this one.

    Raises:
        ValueError: if it is not there.
    """
    devices = _devices_of(client, (spec.device_type or "CPU").upper())
    index = spec.device_index or 0
    if index >= len(devices):
        raise ValueError(f"Device {spec.to_string()} is not there: there are {len(devices)}.")
    return devices[index]


def _devices_of(client: int | None, kind: str) -> list[Any]:
    """Returns JAX's devices of a kind that a process has."""
    own = jax_devices(kind)
    if client in (None, jax.process_index()) or not own:
        return own
    every = jax.devices(own[0].platform)
    return [device for device in every if device.process_index == client]


class LayoutType(enum.Enum):
    """The kinds of layouts."""

    STATIC = 1
    SINGLE_DEVICE = 2
    PARTED = 3


@lacks({"as_proto from_proto": NO_PROTO})
class Layout(metaclass=Advising):
    """Says which axis of a mesh divides which axis of a tensor.

    Args:
        sharding_specs: for each axis of the tensor the name of an axis of the mesh, or `UNSHARDED`.
        mesh: the mesh.

    Raises:
        ValueError: if a name is none of the mesh's, or there twice.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x", tf.experimental.dtensor.UNSHARDED], mesh)
    >>> layout.rank, layout.num_shards(0)
    (2, 1)

    See https://www.tensorflow.org/api_docs/python/tf/experimental/dtensor/Layout.
    """

    _type = LayoutType.STATIC

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        specs = list(sharding_specs)
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        if mesh.is_single_device() and self._type is not LayoutType.SINGLE_DEVICE:
            raise hinted(ValueError(MESSAGE_SINGLE), HINT_SINGLE)
        named = [spec for spec in specs if spec != UNSHARDED]
        for spec in named:
            if spec not in mesh:
                raise ValueError(MESSAGE_SPEC.format(spec))
            if named.count(spec) > 1:
                raise ValueError(MESSAGE_REPEATED.format(spec, specs))
        self._specs = specs
        self._mesh = mesh

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> "Layout":
        """Makes a layout in which every device holds the whole tensor."""
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def from_device(cls, device: str) -> "Layout":
        """Makes the layout of tensors, of any rank, that a device holds."""
        return cls.from_single_device_mesh(Mesh.from_device(device))

    @classmethod
    def from_single_device_mesh(cls, mesh: Mesh) -> "Layout":
        """Makes the layout of tensors, of any rank, on the device of a mesh without axes.

        Raises:
            ValueError: if the mesh has axes.

        >>> mesh = tf.experimental.dtensor.Mesh.from_device("CPU:0")
        >>> layout = tf.experimental.dtensor.Layout.from_single_device_mesh(mesh)
        >>> x = tf.experimental.dtensor.copy_to_mesh(tf.constant([1.0, 2.0]), layout)
        >>> tf.experimental.dtensor.fetch_layout(x * 2.0).is_single_device()
        True
        """
        if not mesh.is_single_device():
            raise hinted(ValueError(MESSAGE_NOT_SINGLE.format(mesh)), HINT_DEVICE)
        return _SingleDeviceLayout([], mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> "Layout":
        """Makes a layout that divides one axis, the first by default."""
        return cls([batch_dim if i == axis else UNSHARDED for i in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> "Layout":
        """Makes a layout that divides the last axis."""
        return cls.batch_sharded(mesh, inner_dim, rank, axis=rank - 1)

    @classmethod
    def from_string(cls, layout_str: str) -> "Layout":
        """Makes a layout of what `to_string` returns."""
        specs, mesh = layout_str.split(" mesh:", 1)
        if specs == SINGLE:
            return cls.from_device(mesh)
        names = specs.removeprefix(SHARDED).removeprefix(PARTED).removesuffix(",")
        found = cls(names.split(",") if names else [], Mesh.from_string(mesh))
        return found.to_parted() if specs.startswith(PARTED) else found

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def sharding_specs(self) -> list[str]:
        """For each axis of the tensor the axis of the mesh, or `UNSHARDED`."""
        return list(self._specs)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._specs)

    @property
    def shape(self) -> list[int]:
        """The shape of the mesh."""
        return self._mesh.shape()

    @property
    def type(self) -> LayoutType:
        """The kind of layout: `LayoutType.STATIC`, or `LayoutType.PARTED`."""
        return self._type

    def to_parted(self) -> "Layout":
        """Returns this layout marked as one of parts that their devices compute on their own.

        The mark is for TensorFlow's sake: XLA decides how a program is divided.
        """
        parted = Layout(self._specs, self._mesh)
        parted._type = LayoutType.PARTED
        return parted

    @property
    def sharding(self) -> NamedSharding:
        """The same for JAX, which TensorFlow does not have."""
        entries = [None if spec == UNSHARDED else spec for spec in self._specs]
        while entries and entries[-1] is None:
            entries.pop()
        return NamedSharding(self._mesh._mesh, PartitionSpec(*entries))

    def num_shards(self, idx: int) -> int:
        """Returns into how many parts an axis is divided."""
        if self.is_single_device():
            return 1
        spec = self._specs[idx]
        return 1 if spec == UNSHARDED else self._mesh.dim_size(spec)

    def is_fully_replicated(self) -> bool:
        """Returns whether every device of several axes holds the whole tensor."""
        return not self.is_single_device() and all(
            self.num_shards(axis) == 1 for axis in range(self.rank)
        )

    def is_batch_parallel(self) -> bool:
        """Returns whether no axis but the first is divided, and that is named."""
        rest = [spec for spec in self._specs[1:] if spec != UNSHARDED]
        return bool(self._specs) and self._specs[0] != UNSHARDED and not rest

    def is_single_device(self) -> bool:
        """Returns whether it is one of a mesh without axes."""
        return self._type is LayoutType.SINGLE_DEVICE

    def local_shape_from_global_shape(self, global_shape: Any) -> tuple[int, ...]:
        """Returns the shape of the part that a device holds."""
        return tuple([size // self.num_shards(i) for i, size in enumerate(global_shape)])

    def global_shape_from_local_shape(self, local_shape: Any) -> tuple[int, ...]:
        """Returns the shape of the tensor of which each device holds a part of a shape."""
        return tuple([size * self.num_shards(i) for i, size in enumerate(local_shape)])

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """Returns for each device which part it holds, by its number on each axis."""
        places = self._mesh.unravel_index().values()
        return [tuple([p.get(spec, 0) for spec in self._specs]) for p in places]

    def offset_tuple_to_global_index(self, offset_tuple: tuple[int, ...]) -> int:
        """Returns the number of a part among all parts."""
        counts = [self.num_shards(axis) for axis in range(self.rank)]
        return sum(o * math.prod(counts[i + 1 :]) for i, o in enumerate(offset_tuple))

    def delete(self, dims: Sequence[int]) -> "Layout":
        """Returns the layout without some axes."""
        kept = [spec for axis, spec in enumerate(self._specs) if axis not in dims]
        return Layout(kept, self._mesh)

    def to_string(self) -> str:
        """Returns the layout as a text, of which `from_string` makes it anew."""
        specs = "".join(f"{spec}," for spec in self._specs) or ""
        if self.is_single_device():
            return f"{SINGLE} mesh:{self._mesh.to_string()}"
        kind = PARTED if self._type is LayoutType.PARTED else SHARDED
        return f"{kind}{specs} mesh:{self._mesh.to_string()}"

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __reduce__(self) -> tuple[Any, ...]:
        return _layout_of_text, (self.to_string(),)


class _SingleDeviceLayout(Layout):
    """The layout of tensors on the device of a mesh without axes."""

    _type = LayoutType.SINGLE_DEVICE


def _mesh_of_text(text: str) -> Mesh:  # pickle looks for classes where TensorFlow has them
    return Mesh.from_string(text)


def _layout_of_text(text: str) -> Layout:
    return Layout.from_string(text)


class _Thread(ThreadState):
    """The mesh of the block of this thread."""

    mesh: Mesh | None = None


_BLOCK = _Thread()


def create_mesh(
    mesh_dims: Any = None,
    mesh_name: str = "",
    devices: Sequence[Any] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Makes a mesh.

    Args:
        mesh_dims: pairs of a name and a size, or a dictionary; by default one axis "x". A single
            axis of size -1 takes all devices.
        mesh_name: a name.
        devices: the names of the devices, or `tf.DeviceSpec`s; by default all of `device_type`.
        device_type: "CPU", "GPU" or "TPU"; "CPU" by default.
        use_xla_spmd: accepted for TensorFlow's sake.

    Raises:
        ValueError: if the mesh has not as many places as there are devices.

    >>> tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"]).size
    1
    """
    specs = _given_devices(devices, device_type)
    dims = [("x", len(specs))] if mesh_dims is None else list(dict(mesh_dims).items())
    if mesh_dims is not None and not isinstance(mesh_dims, dict):
        dims = list(mesh_dims)
    if len(dims) == 1 and dims[0][1] == -1:
        dims = [(dims[0][0], len(specs))]
    shape = [size for _, size in dims]
    if math.prod(shape) != len(specs):
        raise ValueError(MESSAGE_SIZE.format(len(specs), shape))
    ids = np.arange(len(specs)).reshape(shape)
    names = [name for name, _ in dims]
    local = ids.reshape(-1).tolist()
    return Mesh(names, ids, local, specs, mesh_name, use_xla_spmd=use_xla_spmd)


def _given_devices(devices: Sequence[Any] | None, kind: str | None) -> list[DeviceSpec]:
    """Returns the devices of this process that are named; by default all of a kind.

    Raises:
        ValueError: if they are of another kind.
    """
    if devices is None:
        return local_devices(kind or "CPU")
    specs = [DeviceSpec.from_string(d) if isinstance(d, str) else d for d in devices]
    if kind is not None and kind.upper() != (specs[0].device_type or "CPU").upper():
        raise ValueError(f"Conflicting devices {specs} and device_type {kind}")
    return specs


def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> Any:
    """Lays a tensor out over a mesh.

    Unlike TensorFlow, any layout will do, not only one in which every device holds the whole.

    Args:
        tensor: the tensor.
        layout: the layout.
        source_layout: accepted for TensorFlow's sake.

    Raises:
        ValueError: if the tensor cannot be divided so.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> tf.experimental.dtensor.copy_to_mesh(tf.constant([1.0, 2.0]), layout).numpy()
    array([1., 2.], dtype=float32)
    """
    return laid_out(convert(tensor), layout.sharding)


def relayout(tensor: Any, layout: Layout, name: str | None = None) -> Any:
    """Lays a tensor out in another way; gradients pass.

    Args:
        tensor: the tensor.
        layout: the layout.
        name: ignored.

    Raises:
        ValueError: if the tensor cannot be divided so.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> tf.experimental.dtensor.relayout(tf.constant([1.0, 2.0]), layout).numpy()
    array([1., 2.], dtype=float32)
    """
    return laid_out(convert(tensor), layout.sharding)


def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> Any:
    """Lays a tensor out as another one is.

    Args:
        tensor: the tensor.
        layout_tensor: the other one.
        name: ignored.

    Raises:
        InvalidArgumentError: if the other one has no layout.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh(
    ...     tf.constant([1.0]), tf.experimental.dtensor.Layout(["x"], mesh))
    >>> y = tf.experimental.dtensor.relayout_like(tf.constant([2.0]), x)
    >>> tf.experimental.dtensor.is_dtensor(y)
    True
    """
    return relayout(tensor, fetch_layout(layout_tensor))


def _layout_of(tensor: Any) -> Layout | None:
    """Returns the layout of a tensor, which is computed for that; None if it has none."""
    if isinstance(tensor, Variable):
        tensor = tensor._root._tensor
    if not isinstance(tensor, EagerTensor):
        return None
    value = tensor._array()
    sharding = value.sharding if isinstance(value, jax.Array) else None
    if not isinstance(sharding, NamedSharding):
        mesh = _BLOCK.mesh
        if mesh is None or (sharding is not None and len(sharding.device_set) > 1):
            return None
        layout = _whole(mesh, tensor.ndim)
        with jax.enable_x64(True):
            tensor._value = jax.device_put(value, layout.sharding)
        return layout
    mesh = _MESHES.get(sharding.mesh) or _mesh_of(sharding.mesh)
    if mesh.is_single_device():
        return Layout.from_single_device_mesh(mesh)
    entries: list[Any] = [*sharding.spec, *[None] * (tensor.ndim - len(sharding.spec))]
    specs = []
    for entry in entries:
        names = entry if isinstance(entry, tuple) else () if entry is None else (entry,)
        if len(names) > 1:
            raise ValueError(MESSAGE_UNNAMED.format(sharding.spec))
        specs.append(names[0] if names else UNSHARDED)
    return Layout(specs, mesh)


def _whole(mesh: Mesh, rank: int) -> Layout:
    """Returns the layout of a tensor that each device of a mesh holds."""
    single = mesh.is_single_device()
    return Layout.from_single_device_mesh(mesh) if single else Layout.replicated(mesh, rank)


def _mesh_of(mesh: Any) -> Mesh:
    """Returns a mesh of JAX under TensorFlow's names."""
    here = [device.process_index == jax.process_index() for device in mesh.devices.flat]
    own = [device for device, is_own in zip(mesh.devices.flat, here, strict=True) if is_own]
    devices = [name_of_device(device) for device in own]
    ids = np.arange(mesh.devices.size).reshape(mesh.devices.shape)
    return Mesh(list(mesh.axis_names), ids, np.flatnonzero(here).tolist(), devices)


def fetch_layout(tensor: Any) -> Layout:
    """Returns the layout of a tensor or variable, whose value is computed for that.

    The compiler chooses the layouts of results; they need not be those that TensorFlow's rules
    give. `relayout` makes a result have a certain one.

    Args:
        tensor: the tensor.

    Raises:
        RuntimeError: within a `tf.function`.
        InvalidArgumentError: if it is not laid out over a mesh.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh(
    ...     tf.constant([1.0]), tf.experimental.dtensor.Layout(["x"], mesh))
    >>> tf.experimental.dtensor.fetch_layout(x).sharding_specs
    ['x']
    """
    if THREAD.functions:
        raise RuntimeError("`fetch_layout` must be called eagerly.")
    layout = _layout_of(tensor)
    if layout is None:
        raise invalid(MESSAGE_PLAIN)
    return layout


def is_dtensor(tensor: Any) -> bool:
    """Returns whether a value is a tensor that is laid out over a mesh.

    Args:
        tensor: any value. A tensor is computed.

    >>> tf.experimental.dtensor.is_dtensor(tf.constant(1.0))
    False
    """
    return _layout_of(tensor) is not None


def check_layout(tensor: Any, layout: Layout) -> None:
    """Checks that a tensor has a layout.

    Args:
        tensor: the tensor.
        layout: the layout.

    Raises:
        ValueError: if it has another one.
        InvalidArgumentError: if it has none.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> x = tf.experimental.dtensor.copy_to_mesh(tf.constant([1.0]), layout)
    >>> tf.experimental.dtensor.check_layout(x, layout)
    """
    found = fetch_layout(tensor)
    if found != layout:
        raise ValueError(MESSAGE_CHECK.format(found, layout))


def pack(tensors: Sequence[Any], layout: Layout) -> Any:
    """Makes a tensor of the parts that the devices hold.

    Args:
        tensors: a part for each device of this process, in the order of the mesh.
        layout: how the parts belong together.

    Raises:
        InvalidArgumentError: if there is not one part for each device.
        UnimplementedError: if they have different shapes.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> tf.experimental.dtensor.pack([tf.constant([1.0])], layout).numpy()
    array([1.], dtype=float32)
    """
    count = layout.mesh.num_local_devices()
    if len(tensors) != count:
        raise invalid(MESSAGE_COUNT.format(count, len(tensors)))
    parts = [convert(tensor)._device_array() for tensor in tensors]
    if len({part.shape for part in parts}) > 1:
        raise errors.UnimplementedError(None, None, MESSAGE_SHAPES)
    devices = layout.mesh._own_devices()
    with jax.enable_x64(True):
        held = [jax.device_put(part, device) for part, device in zip(parts, devices, strict=True)]
        shape = layout.global_shape_from_local_shape(parts[0].shape)
        array = jax.make_array_from_single_device_arrays(shape, layout.sharding, held)
    return from_array(array)


def unpack(tensor: Any) -> list[Any]:
    """Returns the parts of a tensor that the devices hold, in the order of the mesh.

    Args:
        tensor: the tensor.

    Raises:
        InvalidArgumentError: if it is not laid out over a mesh.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh(
    ...     tf.constant([1.0]), tf.experimental.dtensor.Layout(["x"], mesh))
    >>> len(tf.experimental.dtensor.unpack(x))
    1
    """
    layout = _layout_of(tensor)
    if layout is None:
        raise invalid(MESSAGE_UNPACK.format(convert(tensor).device))
    held = tensor._root._tensor if isinstance(tensor, Variable) else tensor
    parts = {shard.device: shard.data for shard in held._array().addressable_shards}
    return [from_array(parts[device]) for device in layout.mesh._own_devices()]


def call_with_layout(
    fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any
) -> Any:
    """Calls a function, and lays its results out.

    Args:
        fn: the function.
        layout: the layout of every result; None to leave them as they are.
        *args: the arguments.
        **kwargs: further arguments.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> tf.experimental.dtensor.call_with_layout(tf.zeros, layout, [2]).numpy()
    array([0., 0.], dtype=float32)
    """
    results = fn(*args, **kwargs)
    if layout is None:
        return results
    return nest.map_structure(
        lambda result: relayout(result, layout) if isinstance(result, EagerTensor) else result,
        results,
    )


@contextlib.contextmanager
def default_mesh(mesh: Mesh) -> Iterator[None]:
    """Makes a block in which tensors that have no layout are on all devices of a mesh.

    Args:
        mesh: the mesh.

    Raises:
        ValueError: if it is none.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> with tf.experimental.dtensor.default_mesh(mesh):
    ...     tf.experimental.dtensor.fetch_layout(tf.ones([2])).sharding_specs
    ['unsharded']
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {type(mesh)}")
    with _BLOCK.temporarily(mesh=mesh):
        yield


def run_on(mesh: Mesh) -> Any:
    """Does what `default_mesh` does, which is its newer name.

    Args:
        mesh: the mesh.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> with tf.experimental.dtensor.run_on(mesh):
    ...     tf.experimental.dtensor.is_dtensor(tf.ones([2]))
    True
    """
    return default_mesh(mesh)


def get_default_mesh() -> Mesh | None:
    """Returns the mesh of the block that runs, None outside of such blocks.

    >>> tf.experimental.dtensor.get_default_mesh()
    """
    return _BLOCK.mesh


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """Lists the devices of a kind that belong to this process.

    Args:
        device_type: "CPU", "GPU" or "TPU".
        for_client_id: the number of the process, by default this one.

    Raises:
        ValueError: if it is another kind.

    >>> tf.experimental.dtensor.local_devices("CPU")[0].to_string()
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    if device_type.upper() not in ("CPU", "GPU", "TPU"):
        raise ValueError(f"Device type {device_type} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    count = num_local_devices(device_type)
    return [DeviceSpec(job_name(), 0, task, device_type, index) for index in range(count)]


def num_local_devices(device_type: str) -> int:
    """Returns how many devices of a kind belong to this process.

    Args:
        device_type: "CPU", "GPU" or "TPU".

    >>> tf.experimental.dtensor.num_local_devices("CPU") >= 1
    True
    """
    here = jax.process_index()
    return sum(device.process_index == here for device in jax_devices(device_type.upper()))


def num_global_devices(device_type: str) -> int:
    """Returns how many devices of a kind belong to all processes.

    Args:
        device_type: "CPU", "GPU" or "TPU".

    >>> tf.experimental.dtensor.num_global_devices("CPU") >= 1
    True
    """
    return num_local_devices(device_type) * num_clients()


def jobs() -> list[str]:
    """Returns the addresses of all processes, which `DTENSOR_JOBS` lists; none for one process.

    >>> tf.experimental.dtensor.jobs()
    []
    """
    found = os.environ.get("DTENSOR_JOBS")
    return found.split(",") if found else []


def client_id() -> int:
    """Returns the number of this process: `DTENSOR_CLIENT_ID`.

    Raises:
        ValueError: if there are not so many.

    >>> tf.experimental.dtensor.client_id()
    0
    """
    number = int(os.environ.get("DTENSOR_CLIENT_ID", PROCESSES.index))
    if number < 0:
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be >= 0, got {number}. ")
    if number >= num_clients():
        raise ValueError(
            f"Environment variable DTENSOR_CLIENT_ID must be < {num_clients()}, got {number}"
        )
    return number


def num_clients() -> int:
    """Returns the number of processes.

    >>> tf.experimental.dtensor.num_clients()
    1
    """
    return len(jobs()) or PROCESSES.count


def job_name() -> str:
    """Returns the name of this job: `DTENSOR_JOB_NAME`.

    >>> tf.experimental.dtensor.job_name()
    'localhost'
    """
    usual = "localhost" if num_clients() == 1 else "worker"
    return os.environ.get("DTENSOR_JOB_NAME", usual)


def full_job_name(task_id: int | None = None) -> str:
    """Returns the name of a process of this job.

    Args:
        task_id: its number, by default that of this one.

    Raises:
        ValueError: if there is only one process, and it has another number.

    >>> tf.experimental.dtensor.full_job_name()
    'localhost/replica:0/task:0'
    """
    number = client_id() if task_id is None else task_id
    if num_clients() == 1 and number != 0:
        raise ValueError(f"Unexpected task ID {number} in local runs")
    return f"{job_name()}/replica:0/task:{number}"


def heartbeat_enabled() -> bool:
    """Returns whether lost processes are to be noticed: `DTENSOR_ENABLE_HEARTBEAT`.

    >>> tf.experimental.dtensor.heartbeat_enabled()
    True
    """
    return os.environ.get("DTENSOR_ENABLE_HEARTBEAT", "true").lower() in ("true", "1")


class _AcceleratorSystem:
    """Whether the devices have been started by the program, and their kind."""

    kind: str | None = None


_SYSTEM = _AcceleratorSystem()


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Starts the devices, and joins the processes that `DTENSOR_JOBS` lists.

    This process is number `DTENSOR_CLIENT_ID` of them; it waits for the others. It says which are
    lost, and ends then, as those of `tf.distribute.MultiWorkerMirroredStrategy` do.

    Args:
        device_type: "CPU", "GPU" or "TPU"; by default the best kind that there is.
        enable_coordination_service: accepted for TensorFlow's sake: JAX's is there.
        num_logical_cpu_devices: into how many devices the CPU is divided.
        experimental_reset_context: accepted for TensorFlow's sake.
        experimental_enable_megcore: accepted for TensorFlow's sake.

    Returns:
        The kind of the devices.

    Raises:
        ValueError: if there is no such kind, it was called before, or devices have been used.

    >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
    'CPU'
    >>> tf.experimental.dtensor.shutdown_accelerator_system()

    See https://www.tensorflow.org/api_docs/python/tf/experimental/dtensor/initialize_accelerator_system.
    """
    if _SYSTEM.kind is not None:
        raise ValueError(MESSAGE_INITIALIZED)
    kind = None if device_type is None else device_type.upper()
    if kind not in (None, "CPU", "GPU", "TPU"):
        raise ValueError(f"Unknown device_type {kind}. Allowed values are CPU, GPU, or TPU")
    try:
        if num_logical_cpu_devices is not None:
            parts = [LogicalDeviceConfiguration()] * num_logical_cpu_devices
            set_logical_device_configuration(list_physical_devices("CPU")[0], parts)
        if jobs():
            join(jobs(), client_id())
    except RuntimeError as error:
        raise hinted(ValueError(MESSAGE_STARTED), HINT_STARTED) from error
    _SYSTEM.kind = kind or preferred_device_type()
    return _SYSTEM.kind


initialize_multi_client = initialize_tpu_system = initialize_accelerator_system


def shutdown_accelerator_system() -> None:
    """Takes back `initialize_accelerator_system`; the devices stay as they are.

    Raises:
        ValueError: if it has not been called, or there are several processes.

    >>> tf.experimental.dtensor.initialize_accelerator_system("CPU")
    'CPU'
    >>> tf.experimental.dtensor.shutdown_accelerator_system()
    """
    if _SYSTEM.kind is None:
        raise ValueError(
            "Accelerator system is not initialized. Call "
            "tf.experimental.dtensor.initialize_accelerator_system first."
        )
    if jobs():
        raise ValueError(
            "Shutting down accelerator system under multi-client mode is not supported."
        )
    _SYSTEM.kind = None


shutdown_tpu_system = shutdown_accelerator_system


def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Sequence[Any] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Makes a mesh of the devices of all processes, as many of each.

    Args:
        mesh_dims: pairs of a name and a size, or a dictionary.
        mesh_name: a name.
        local_devices: the names of the devices of this process; by default all of `device_type`.
        device_type: "CPU", "GPU" or "TPU"; "CPU" by default.
        use_xla_spmd: accepted for TensorFlow's sake.

    Raises:
        ValueError: if the mesh has not as many places as there are devices, or
            `initialize_accelerator_system` has not been called.

    >>> dtensor = tf.experimental.dtensor
    >>> dtensor.initialize_accelerator_system("CPU")
    'CPU'
    >>> dtensor.create_distributed_mesh([("x", 1)], local_devices=["CPU:0"]).size
    1
    >>> dtensor.shutdown_accelerator_system()
    """
    if _SYSTEM.kind is None:
        raise ValueError(MESSAGE_NOT_INITIALIZED)
    specs = _given_devices(local_devices, device_type)
    dims = list(dict(mesh_dims).items()) if isinstance(mesh_dims, dict) else list(mesh_dims)
    shape, count = tuple(size for _, size in dims), len(specs) * num_clients()
    if math.prod(shape) != count:
        given = len(specs), num_clients(), count, shape
        raise ValueError(MESSAGE_GLOBAL_SIZE.format(*given))
    ids = np.arange(count).reshape(shape)
    first = len(specs) * client_id()
    own = list(range(first, first + len(specs)))
    return Mesh([name for name, _ in dims], ids, own, specs, mesh_name, use_xla_spmd=use_xla_spmd)


def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Waits until all processes have come here and have computed what they were asked for.

    Args:
        mesh: the mesh.
        barrier_name: tells this place from others.
        timeout_in_ms: ignored: who has lost a process says so, and ends.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> tf.experimental.dtensor.barrier(mesh)
    """
    THREAD.recording.flush()
    jax.effects_barrier()
    process_barrier(barrier_name or "(barrier)")


def preferred_device_type() -> str:
    """Returns the kind of devices to make a mesh of: accelerators, if there are any.

    >>> tf.experimental.dtensor.preferred_device_type() in ("CPU", "GPU", "TPU")
    True
    """
    return next((kind for kind in ("TPU", "GPU") if num_local_devices(kind)), "CPU")


@lacks({"save_as_bf16": "Save a variable of dtype bfloat16."})
class DVariable(ResourceVariable):
    """A variable that is laid out over a mesh: a `tf.Variable` with `sharding`.

    Unlike TensorFlow, it can be assigned any tensor, which is laid out then.

    Args:
        initial_value: as for `tf.Variable`.
        *args: as for `tf.Variable`.
        dtype: as for `tf.Variable`.
        layout: the layout, by default that of the initial value.
        **kwargs: as for `tf.Variable`.

    Raises:
        InvalidArgumentError: if there is no layout, or another one than that of the value.

    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> layout = tf.experimental.dtensor.Layout(["x"], mesh)
    >>> tf.experimental.dtensor.DVariable([1.0, 2.0], layout=layout).layout == layout
    True

    See https://www.tensorflow.org/api_docs/python/tf/experimental/dtensor/DVariable.
    """

    def __init__(self, initial_value: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> None:
        layout = kwargs.pop("layout", None)
        value = initial_value() if callable(initial_value) else initial_value
        value = convert_to_tensor(value, dtype)
        is_known = value._value is not None
        if layout is None or not THREAD.functions:
            found = _layout_of(value)
            if found is not None and found.is_fully_replicated() and layout and not is_known:
                found = None  # computed beside what is laid out, it is on all devices
            if found is not None and layout is not None and found != layout:
                raise invalid(MESSAGE_CONFLICT.format(found, layout))
            layout = found or layout
        if layout is None:
            raise invalid(MESSAGE_NO_LAYOUT)
        super().__init__(value, *args, dtype=dtype, sharding=layout.sharding, **kwargs)

    @property
    def layout(self) -> Layout:
        """How every value is laid out."""
        sharding: Any = self._sharding
        mesh = _MESHES.get(sharding.mesh) or _mesh_of(sharding.mesh)
        if mesh.is_single_device():
            return Layout.from_single_device_mesh(mesh)
        specs = [UNSHARDED if entry is None else entry for entry in sharding.spec]
        return Layout([*specs, *[UNSHARDED] * (len(self.shape) - len(specs))], mesh)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copied = super().__deepcopy__(memo)
        copied.__class__ = DVariable
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self._tensor.numpy(), self._trainable, self._name, self._shape, self._constraint)
        return _unpickled, (*values, self.layout)


def _unpickled(
    value: Any, trainable: bool, name: str, shape: Any, constraint: Any, layout: Layout
) -> Variable:
    return DVariable(
        value, trainable=trainable, name=name, shape=shape, constraint=constraint, layout=layout
    )


for _class in (Mesh, Layout):
    _class.__module__ = "tensorflow.dtensor.python.layout"
