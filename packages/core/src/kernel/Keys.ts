// Tables of names: the key of a field in the code and its name on the wire or in the database.

export type Renamed<Source, Names> = {
  [Key in keyof Source as Key extends keyof Names ? Names[Key] & string : never]: Source[Key]
}

/** The fields of `source` that `names` has, under their names. A field that is missing in `source` stays missing. */
export const renamed = <Source extends object, const Names extends { readonly [Key in keyof Source]?: string }>(
  source: Source,
  names: Names,
) => {
  const values = new Map<string, unknown>(Object.entries(source))
  const entries = Object.entries<string | undefined>(names).filter(([key]) => values.has(key))
  return Object.fromEntries(entries.map(([key, name]) => [name, values.get(key)])) as Renamed<Source, Names>
}

/** The table in the other direction. */
export const inverse = <const Names extends Readonly<Record<string, string>>>(names: Names) =>
  Object.fromEntries(Object.entries(names).map(([key, name]) => [name, key])) as {
    readonly [Key in keyof Names & string as Names[Key]]: Key
  }
