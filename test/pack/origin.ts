// Prints the file from which the code of a package runs.
import { slugify } from "@tentpole/core/kernel/Text"

/** The files of the functions on the stack, without source maps. */
const filesUnderWay = (): ReadonlyArray<string> => {
  const holder: { stack?: unknown } = {}
  const before: unknown = Reflect.get(Error, "prepareStackTrace")
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? "")
  Error.captureStackTrace(holder)
  const files = holder.stack
  Reflect.set(Error, "prepareStackTrace", before)
  return Array.isArray(files) ? files.map(String) : []
}

/** The file of the package that calls this function. */
export const origin = (): string => {
  let files: ReadonlyArray<string> = []
  const text = {
    slice: () => text,
    normalize: () => {
      files = filesUnderWay()
      return ""
    },
  }
  slugify(text as unknown as string)
  return files.find((file) => file.includes("/packages/core/")) ?? files.join("\n")
}
