// `npm run console:shots`: pictures of all screens of the console, on a page. Those of the documentation are copied to `docs/images`.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { allViews, Console } from "../browser/console/Console.ts"
import { root } from "../support/Service.ts"
import { makeUp, type Pictured, screens, settings } from "./Screens.ts"

const folder = join(root, "shots")
rmSync(folder, { recursive: true, force: true })
for (const each of [folder, join(root, "docs/images")]) mkdirSync(each, { recursive: true })

const started = await Console.start(settings)
if (started === null) process.exit(1)

const names: Array<string> = []
const picture = async (name: string, path: string, steps: Pictured["steps"] = () => Promise.resolve()) => {
  for (const view of allViews) {
    const file = `${name}-${view.width}-${view.scheme}.png`
    const page = await started.screen(path, view)
    await steps(page)
    await page.screenshot({ path: join(folder, file) })
    await page.context().close()
    names.push(file)
  }
}
await picture("contacts-empty", "/contacts")
await picture("lists-empty", "/lists")
const made = await makeUp(started.service)
for (const { isInDocs = false, name, path, steps } of screens) {
  await picture(name, path(made), steps)
  if (!isInDocs) continue
  for (const scheme of ["light", "dark"]) {
    copyFileSync(join(folder, `${name}-1280-${scheme}.png`), join(root, `docs/images/console-${name}-${scheme}.png`))
  }
}
await started.close()

const figures = names.map((name) => `<figure><img src="${name}" width="480"><figcaption>${name}</figcaption></figure>`)
writeFileSync(join(folder, "index.html"), `<!doctype html><title>Console</title>\n${figures.join("\n")}\n`)
console.log(`${names.length} pictures: ${join(folder, "index.html")}`)
