// Tells which file the code of a package is run from.
import { slugify } from "@tentpole/core/Text"

/** The stack at the moment when the package looks at what it was given. */
export const origin = (): string => {
  let stack = ""
  const text = {
    normalize: () => {
      stack = new Error("looked at").stack ?? ""
      return ""
    },
  }
  slugify(text as unknown as string)
  return stack
}
