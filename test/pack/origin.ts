// Tells which file the code of a package is run from.
import { slugify } from "@tentpole/core/kernel/Text"

/** The files of the functions under way, as the machine has them: no source map leads from what was built to its source. */
const filesUnderWay = (): ReadonlyArray<string> => {
  const holder: { stack?: unknown } = {}
  const before: unknown = Reflect.get(Error, "prepareStackTrace")
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? "")
  Error.captureStackTrace(holder)
  const files = holder.stack
  Reflect.set(Error, "prepareStackTrace", before)
  return Array.isArray(files) ? files.map(String) : []
}

/** The file of the package that looks at what it was given. */
export const origin = (): string => {
  let files: ReadonlyArray<string> = []
  const text = {
    normalize: () => {
      files = filesUnderWay()
      return ""
    },
  }
  slugify(text as unknown as string)
  return files.find((file) => file.includes("/packages/core/")) ?? files.join("\n")
}
