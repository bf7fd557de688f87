// The menus, popovers, lists and dialogs that open from a screen: it presses every button, inspects what opens, and closes it by
// Escape. Writes are refused meanwhile, so that no button changes anything.
import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import { type Console, expecting, findingsOf, settled, type View } from "../browser/console/Console.ts"
import { pause } from "../support/Service.ts"

/** What opens something: buttons, and fields with a list. */
const openers = "button, [role=combobox], [aria-haspopup]"

const overlays = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]"

/** POST requests that change nothing. */
const reads = /\/(search|preview|explain|dry-run|simulate)$/

const refused = { error_code: "conflict", message: "The test refuses writes.", details: {} }

const refuseWrites = async (page: Page): Promise<void> => {
  expecting(page, /409/)
  await page.route(
    (url) => /^\/(v1|auth|admin)\//.test(url.pathname),
    (route) => {
      const request = route.request()
      const isRead = request.method() === "GET" || reads.test(new URL(request.url()).pathname)
      return isRead ? route.continue() : route.fulfill({ status: 409, json: refused })
    },
  )
}

/** Names what opens something, without numbers and the row that it belongs to: the first of several rows is enough. */
const nameOf = `(each) => (each.getAttribute("aria-label") ?? each.labels?.[0]?.textContent ?? each.textContent ?? "")
  .replace(/: .*/, "").replace(/\\d+/g, "").trim()`

/** Marks the first opener whose name passes, and returns its name; null: none does. */
const mark = (page: Page, within: string, passes: string): Promise<string | null> =>
  page.evaluate<string | null>(`(() => {
    const nameOf = ${nameOf}
    const passes = ${passes}
    document.querySelector("[data-pressed]")?.removeAttribute("data-pressed")
    const openers = [...document.querySelectorAll(${JSON.stringify(`${within} :is(${openers})`)})]
    const found = openers.find((each) => !each.closest(${JSON.stringify(overlays)}) && each.checkVisibility() && !each.disabled
      && passes(nameOf(each)))
    found?.setAttribute("data-pressed", "")
    return found === undefined ? null : nameOf(found)
  })()`)

const opened = (page: Page) => page.locator(overlays).filter({ visible: true }).last()

const isOpen = async (page: Page): Promise<boolean> => (await opened(page).count()) > 0

/** Presses an opener or an entry of a menu, and waits for what opens: its code may be loaded first. */
const press = async (page: Page, pressed = page.locator("[data-pressed]")): Promise<void> => {
  const closing = page.getByRole("menu")
  const isEntry = await closing.isVisible()
  // What another element covers is no way to open something.
  await pressed.click({ timeout: 1_000 }).catch(() => undefined)
  if (isEntry) await closing.waitFor({ state: "hidden", timeout: 1_000 }).catch(() => undefined)
  await settled(page, 1)
  await opened(page)
    .waitFor({ timeout: 250 })
    .catch(() => undefined)
}

/** Notes the name of the opener that a click hits: a step of a canvas may have moved over the one that was marked. */
const noteHits = `addEventListener("click", ({ target }) => {
  const hit = target.closest?.(${JSON.stringify(openers)})
  if (hit && !hit.closest(${JSON.stringify(overlays)})) globalThis.hitOpener = (${nameOf})(hit)
}, true)`

/** The kind of what is open and its controls: the same form of another screen needs no second look. */
const formOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const open = [...document.querySelectorAll(${JSON.stringify(overlays)})].findLast((each) => each.checkVisibility())
    const parts = [...open.querySelectorAll("h2, button, input, label, [role^=menuitem]")].slice(0, 12)
    const texts = parts.map((part) => part.getAttribute("aria-label") ?? part.textContent)
    return [open.getAttribute("role"), ...texts].join(" | ").replace(/\\d+/g, "")
  })()`)

/** Menus with more entries are lists to choose from, whose entries do the same. */
const entries_max = 8

export class Overlays {
  /** The forms of those that were inspected, and how each was opened. */
  readonly inspected = new Map<string, string>()
  /** Buttons that open nothing, by name. Other screens have them too. */
  readonly #idle = new Set<string>()
  readonly #console: Console
  readonly #page: Page
  readonly #view: View

  private constructor(console_: Console, page: Page, view: View) {
    this.#console = console_
    this.#page = page
    this.#view = view
  }

  static async in(console_: Console, view: View): Promise<Overlays> {
    const page = await console_.open("about:blank", view)
    await refuseWrites(page)
    await page.addInitScript(noteHits)
    // A screen with changes asks before it is left.
    page.on("dialog", (dialog) => void dialog.accept())
    return new Overlays(console_, page, view)
  }

  /** Opens what the header has, on any screen. Entries of its menus leave the screen, or change how it looks. */
  async inspectHeader(path: string): Promise<void> {
    await this.#console.goTo(this.#page, path)
    await this.#each("header", path, () => Promise.resolve())
  }

  /** Opens everything that a screen has. */
  async inspect(path: string): Promise<void> {
    await this.#console.goTo(this.#page, path)
    if (await isOpen(this.#page)) {
      await this.#look(path)
      await this.#escape()
    }
    await this.#each("main", path, (name) => this.#entries(path, name))
  }

  async #each(within: string, path: string, more: (name: string) => Promise<void>): Promise<void> {
    const page = this.#page
    const pathOf = () => new URL(page.url()).pathname
    const own = pathOf()
    const done = [...this.#idle]
    for (;;) {
      const name = await mark(page, within, `(name) => !${JSON.stringify(done)}.includes(name)`)
      if (name === null) return
      done.push(name)
      await press(page)
      if (await isOpen(page)) {
        const hit = await page.evaluate<string>("globalThis.hitOpener")
        await this.#look(`${path} › ${hit}`)
        await this.#close(`${path} › ${hit}`, hit)
        await more(name)
      } else {
        // The menu of a button that is outside of the canvas is open, and hidden.
        if ((await page.locator(overlays).count()) > 0) await page.keyboard.press("Escape")
        this.#idle.add(name)
      }
      if (pathOf() !== own) await this.#console.goTo(page, path)
    }
  }

  /** Opens what each entry of a menu opens. */
  async #entries(path: string, name: string): Promise<void> {
    const page = this.#page
    const entries = opened(page).locator("[role=menuitem]:not([href])")
    for (let index = 0; index < entries_max; index++) {
      if ((await mark(page, "main", `(name) => name === ${JSON.stringify(name)}`)) === null) return
      await press(page)
      const isMenu = (await isOpen(page)) && (await opened(page).getAttribute("role")) === "menu"
      const entry = isMenu ? (await entries.allTextContents())[index] : undefined
      if (entry === undefined) break
      await press(page, entries.nth(index))
      if (!(await isOpen(page))) continue
      await this.#look(`${path} › ${name} › ${entry}`)
      await this.#close(`${path} › ${name} › ${entry}`, name)
    }
    await this.#escape()
  }

  /**
   * In both colour schemes: no findings of axe, and nothing beside the window. Menus and lists are at the end of the document, where
   * no landmark is around them; they belong to their buttons.
   */
  async #look(how: string): Promise<void> {
    const page = this.#page
    const form = await formOf(page)
    if (this.inspected.has(form)) return
    this.inspected.set(form, how)
    const box = await opened(page).boundingBox()
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= this.#view.width, `${how} is beside the window`)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await findingsOf(page, ["region"]), [], `${how}, ${this.#view.width} px, ${colorScheme}`)
    }
  }

  /** Closes what is open. The focus returns to what opened it; from a list to its field, which may be new. */
  async #close(how: string, opener: string): Promise<void> {
    const page = this.#page
    const isList = (await opened(page).getAttribute("role")) === "listbox"
    await this.#escape()
    assert.ok(!(await isOpen(page)), `${how} does not close by Escape`)
    const returned = () =>
      page.evaluate<boolean>(`document.activeElement !== document.body &&
        (${isList} || (${nameOf})(document.activeElement) === ${JSON.stringify(opener)})`)
    for (let tries = 0; tries < 10 && !(await returned()); tries++) await pause(50)
    const holder = await page.evaluate<string>(`(${nameOf})(document.activeElement)`)
    assert.ok(await returned(), `${how} does not give the focus back, but to ${JSON.stringify(holder.slice(0, 100))}`)
  }

  async #escape(): Promise<void> {
    const page = this.#page
    for (let tries = 0; tries < 3 && (await isOpen(page)); tries++) {
      await page.keyboard.press("Escape")
      await opened(page)
        .waitFor({ state: "hidden", timeout: 1_000 })
        .catch(() => undefined)
    }
  }

  async end(): Promise<void> {
    await this.#page.context().close()
  }
}
