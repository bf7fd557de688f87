// The list of styles: a component of Mantine without its file is shown without a style.
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"

const source = fileURLToPath(new URL("../../../packages/http/console/src/", import.meta.url))
const mantine = fileURLToPath(new URL("../../../node_modules/@mantine/core/styles/", import.meta.url))

/** Components that are drawn by others. */
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  Checkbox: ["InlineInput"],
  Drawer: ["ModalBase", "Overlay", "CloseButton"],
  Modal: ["ModalBase", "Overlay", "CloseButton"],
  Radio: ["InlineInput"],
  SegmentedControl: ["FloatingIndicator"],
  Select: ["Combobox", "Input"],
  Switch: ["InlineInput"],
  Tabs: ["FloatingIndicator"],
  TextInput: ["Input"],
}

it("names the file of each component of Mantine that a screen imports", () => {
  const used = globSync("**/*.tsx", { cwd: source }).flatMap((path) =>
    Array.from(readFileSync(join(source, path), "utf8").matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)).flatMap(
      ([, names = ""]) => names.split(",").map((name) => name.trim().split(" ")[0] ?? ""),
    ),
  )
  const wanted = new Set(used.flatMap((name) => [name, ...(parts[name] ?? [])]))
  const listed = readFileSync(join(source, "styles.ts"), "utf8")
  const missing = [...wanted].filter(
    (name) => existsSync(join(mantine, `${name}.css`)) && !listed.includes(`/${name}.css`),
  )
  assert.isAbove(wanted.size, 20)
  assert.deepStrictEqual(missing, [])
})
