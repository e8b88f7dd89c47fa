"""The version that a producer announces; a test holds it equal to the package's."""

SDK_VERSION = "0.5.0"
