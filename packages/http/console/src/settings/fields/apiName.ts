// Names of custom fields in the API.

const length_max = 60

/** The name for a label: `Birth day` is `birth_day`. Empty for a label without Latin letters and digits. */
export const apiNameOf = (label: string): string => {
  const words =
    label
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .replaceAll("ß", "ss")
      .match(/[a-z0-9]+/g) ?? []
  const name = words.join("_")
  return (/^\d/.test(name) ? `field_${name}` : name).slice(0, length_max)
}
