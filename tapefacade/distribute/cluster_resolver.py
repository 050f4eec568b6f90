"""`tf.distribute.cluster_resolver`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.cluster_resolvers import (
    ClusterResolver as ClusterResolver,
    GCEClusterResolver as GCEClusterResolver,
    KubernetesClusterResolver as KubernetesClusterResolver,
    KubernetesExecutableLocation as KubernetesExecutableLocation,
    SimpleClusterResolver as SimpleClusterResolver,
    SlurmClusterResolver as SlurmClusterResolver,
    TFConfigClusterResolver as TFConfigClusterResolver,
    TPUClusterResolver as TPUClusterResolver,
    UnionResolver as UnionResolver,
)

__getattr__ = _missing_attribute(__name__)
