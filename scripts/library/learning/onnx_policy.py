"""Any policy that is a network as an ONNX model: observation in, action out, the normalisation included.

Needs the extra `onnx`.
"""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tarsus.envs import TASKS
from tarsus.scripts.library.learning import playing, robot_files
from tarsus.scripts.library.learning.loading import Candidate
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.learning.training_runs import plain

OPSET = 17  # of 2022: what runtimes on robots read
IR_VERSION = 8  # that of the same release


def model_of(candidate: Candidate) -> onnx.ModelProto:
    """Return the model of a policy; one that is an ONNX model already learns of what it was made for.

    Raises:
        ValueError: If the policy is no network that is known, as functions of Python are.
    """
    if not candidate.name.endswith(".onnx"):
        return build(network_of(candidate))
    model = onnx.load(candidate.name)
    stored = {entry.key: entry.value for entry in model.metadata_props}
    about = robot_files.to_store(candidate.environment) | {"options": plain(candidate.options)}
    helper.set_model_props(model, stored | {"tarsus": json.dumps(json.loads(stored.get("tarsus", "{}")) | about)})
    return model


def network_of(candidate: Candidate) -> TrainedPolicy:
    """Return the network of a policy, or the one that its function makes; ValueError if it is none."""
    if candidate.network:
        made = candidate.network()
        if robot_files.file_of(candidate.environment):  # it may be elsewhere than when it was trained with
            made.about |= robot_files.to_store(candidate.environment)
        if candidate.environment not in TASKS:  # of which a policy plays with the options that are an entrant's
            made.about |= {"options": plain(candidate.options)}
        return made
    env = playing.make(candidate.environment, candidate.options)
    made = candidate.make(env, 0)
    env.close()
    if not isinstance(made, TrainedPolicy):
        more = "checkpoints, a .zip, an .onnx, and MODULE:FUNCTION(env) that returns a TrainedPolicy"
        raise ValueError(f"{candidate.name!r} is no trained policy; `tarsus export` alone lists those; or {more}")
    made.about |= robot_files.to_store(candidate.environment) | {"options": plain(candidate.options)}
    return made


def build(policy: TrainedPolicy) -> onnx.ModelProto:
    """Return the deterministic policy as a model, in single precision.

    Its input is `observation` (batch, n), its output `action` (batch, m) within [-1, 1]; the settings that the policy
    was trained with are in its metadata as JSON, under `tarsus`.
    """
    constants, nodes, last = {}, [], "observation"

    def constant(name: str, value) -> str:
        constants[name] = np.asarray(value, np.float32)
        return name

    def add(operator: str, output: str, *more: str, **attributes) -> None:
        nonlocal last
        nodes.append(helper.make_node(operator, [last, *more], [output], **attributes))
        last = output

    add("Sub", "centred", constant("mean", policy.mean))
    add("Div", "scaled", constant("scale", policy.scale))
    add("Clip", "clipped", constant("least", -policy.clip), constant("most", policy.clip))
    for k, (weight, bias) in enumerate(policy.layers):
        add("Gemm", f"layer_{k}", constant(f"weight_{k}", weight), constant(f"bias_{k}", bias), transB=1)
        if k < len(policy.layers) - 1:
            add("Tanh" if policy.activation == "tanh" else "Relu", f"hidden_{k}")
    if policy.squash:
        add("Tanh", "action")
    else:
        add("Clip", "action", constant("minus_one", -1.0), constant("one", 1.0))
    sizes = {"observation": policy.mean.size, "action": policy.layers[-1][1].size}
    ends = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", n]) for name, n in sizes.items()}
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "policy", [ends["observation"]], [ends["action"]], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, {"tarsus": json.dumps(policy.about)})
    onnx.checker.check_model(model, full_check=True)
    return model
