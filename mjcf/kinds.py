"""MuJoCo's kinds of geoms, joints and other elements by short names."""

from mujoco import mjtCamLight, mjtGeom, mjtJoint, mjtLimited, mjtObj, mjtSensor, mjtTrn

PLANE, HFIELD, MESH, BOX = mjtGeom.mjGEOM_PLANE, mjtGeom.mjGEOM_HFIELD, mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_BOX
SPHERE, CAPSULE = mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_CAPSULE
CYLINDER, ELLIPSOID = mjtGeom.mjGEOM_CYLINDER, mjtGeom.mjGEOM_ELLIPSOID
FREE, BALL, SLIDE, HINGE = mjtJoint.mjJNT_FREE, mjtJoint.mjJNT_BALL, mjtJoint.mjJNT_SLIDE, mjtJoint.mjJNT_HINGE
BODY, GEOM, SITE = mjtObj.mjOBJ_BODY, mjtObj.mjOBJ_GEOM, mjtObj.mjOBJ_SITE
JOINT, CONTACT, TRACK = mjtTrn.mjTRN_JOINT, mjtSensor.mjSENS_CONTACT, mjtCamLight.mjCAMLIGHT_TRACK
LIMITED = mjtLimited.mjLIMITED_TRUE
