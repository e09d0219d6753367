# %% [markdown]
# # Train, watch and certify a policy
#
# A robot with six legs walks by a clock: three legs stand while the other three swing
# round. Proximal policy optimisation learns to correct that walk, in a minute; then we
# watch it, and ask whether it would walk as well in another simulator, one of them
# exact. Everything here can be copied and pasted. It needs
# the extra `rl`.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from tarsus import views

CAN_DRAW = views.choose_opengl()  # before anything imports MuJoCo

import gymnasium
import numpy as np

import tarsus
from tarsus.learning import StableVectorEnv

torch.set_num_threads(1)  # the networks are small; the threads are for the physics

# %% [markdown]
# ## The environment
#
# `Hexapod-v0` is an environment of Gymnasium like any other. By default an action
# corrects the clock's walk, so that doing nothing walks already; the
# [environment's page](../envs/hexapod.md) has the other modes. Every entry of the
# observation has a name.

# %%
env = gymnasium.make("Hexapod-v0")
observation, info = env.reset(seed=0)
print("action", env.action_space.shape, "observation", observation.shape)
for name, where in env.unwrapped.observation_slices.items():
    print(f"  {name:17} {where.stop - where.start}")


# %% [markdown]
# ## Sixty-four robots at once
#
# `make_vec` with the environment's own vector form steps many robots on all
# processors; each is bitwise the single environment of its seed. `StableVectorEnv`
# hands them to Stable-Baselines3.


# %%
def hexapods(num_envs, **options):
    return gymnasium.make_vec(
        "Hexapod-v0", num_envs, vectorization_mode="vector_entry_point", **options
    )


def speed(act, seconds=5.0):
    """Return the mean speed of eight robots from their starts [m/s]."""
    envs = hexapods(8)
    observations, infos = envs.reset(seed=100)
    for _ in range(round(seconds / 0.02)):
        observations, _, ended, _, infos = envs.step(act(observations))
    return float(np.mean(infos["distance"])) / seconds


robots = VecMonitor(StableVectorEnv(hexapods(64, autoreset_mode="SameStep")))
normaliser = VecNormalize(robots, gamma=0.98)
settings = dict(n_steps=64, batch_size=1024, gamma=0.98, learning_rate=1e-3)
quiet = dict(log_std_init=-1.0)  # a clock that is only corrected bears little noise
model = PPO(
    "MlpPolicy", normaliser, policy_kwargs=quiet, seed=0, device="cpu", **settings
)


# %% [markdown]
# ## Train
#
# Twelve updates of 4096 steps take half a minute of processor time. For more speed,
# ask for more steps: half a million of plain PPO brought
# [0.55 to 0.64 m/s](../learning.md), by seed.


# %%
def act(observations):
    seen = normaliser.normalize_obs(observations)
    return model.predict(seen, deterministic=True)[0]


speeds = {0: speed(act)}
for _ in range(3):
    model.learn(16_384, reset_num_timesteps=False)
    speeds[model.num_timesteps] = speed(act)
print("steps", model.num_timesteps)
print("faster than the clock alone:", speeds[model.num_timesteps] > 1.05 * speeds[0])

# %%
figure, ax = plt.subplots(figsize=(7.2, 2.6))
ax.plot(list(speeds), list(speeds.values()), "o-", color="C0")
ax.axhline(speeds[0], color="0.6", linewidth=1)
ax.set(xlabel="steps", ylabel="speed [m/s]", ylim=(0, 0.4))
figure.tight_layout()

# %% [markdown]
# ## Watch
#
# An episode, with a picture of every fourth of a stride. Without OpenGL there is
# nothing to look at but the feet: a bar is a foot on the ground. In a terminal,
# `tarsus evaluate FOLDER --video walk.mp4` makes a film.

# %%
watched = gymnasium.make("Hexapod-v0", render_mode="rgb_array" if CAN_DRAW else None)
observation, info = watched.reset(seed=1)
touches, pictures = [], []
for step in range(150):
    observation, reward, fell, _, info = watched.step(act(observation))
    touches.append(info["foot_contact"])
    if CAN_DRAW and step in (100, 106, 112, 118):
        pictures.append(watched.render())
watched.close()
print("it fell:", fell)

figure, axes = plt.subplots(2, 1, figsize=(7.2, 3.4), height_ratios=[1, 1])
axes[0].axis("off")
if CAN_DRAW:
    gap = np.full((360, 12, 3), 255, np.uint8)
    shown = [part for picture in pictures for part in (picture[80:440, 60:580], gap)]
    axes[0].imshow(np.hstack(shown[:-1]))
else:
    axes[0].text(0, 0.5, views.NO_OPENGL, wrap=True)
axes[1].imshow(np.array(touches).T, aspect="auto", cmap="Greys", extent=(0, 3, 6, 0))
axes[1].set(xlabel="time [s]", ylabel="foot", yticks=np.arange(6) + 0.5)
axes[1].set_yticklabels(range(6))
figure.tight_layout()

# %% [markdown]
# ## Certify
#
# A policy may earn its reward from feet that sink or creep in soft contact, and lose
# it elsewhere. `tarsus certify` plays the same episodes in other simulations of the
# same machine: finer, softer and stiffer contact, other floors and legs, and the
# exact engine, which finds every touchdown to round-off. A policy *holds* if none of
# them changes speed or return by more than 5 %.
# [Can you trust this policy?](../trust.md) has the rest. In a terminal this is
#
#     tarsus certify mine.zip --env Hexapod-v0 --seeds 2 --seconds 5 --out certified

# %%
with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "mine.zip")
    normaliser.save(str(Path(folder) / "vecnormalize.pkl"))
    mine = str(Path(folder) / "mine.zip")
    made = tarsus.certify(mine, "Hexapod-v0", seeds=2, seconds=5, jobs=1)
rows = [row for row in made.certificate.rows if row.speed and row.kind != "between"]
changes = {row.setting: row.speed.value for row in rows}
print("settings", len(changes), "with the exact one:", "exact" in changes)
print("it leans on its simulator:", "leans" in made.verdict)

# %%
figure, ax = plt.subplots(figsize=(7.2, 3.6))
ax.axvspan(-5, 5, color="0.92")
ax.plot([100 * change for change in changes.values()], list(changes), "o", color="C0")
ax.invert_yaxis()
ax.set(xlabel="change of speed from the preset it was trained in [%]", xlim=(-25, 25))
ax.set_title(f"verdict: {made.verdict}", loc="left", fontsize=10)
figure.tight_layout()

# %% [markdown]
# ## What happens when something is wrong
#
# An option that there is not, or a value that cannot be, is refused with a sentence
# that says what there is.

# %%
for options in ({"terrain": "swamp"}, {"reward_weights": {"sped": 1.0}}):
    try:
        gymnasium.make("Hexapod-v0", **options)
    except ValueError as refusal:
        print(refusal)

# %% [markdown]
# Where to go: [change reward, observation and disturbances](../customising.md),
# [bring your own robot](../bring_your_own.md), and
# [recipes](../recipes.md) for other learning libraries.
