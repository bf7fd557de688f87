// The version of this release, as in the packages' manifests.
export const version = "0.1.0"
