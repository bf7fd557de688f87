// Flows in the console: built by keys and by the mouse, saved, simulated, activated, watched, and their members.
import type { Locator, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf, type Json, until } from "../../support/Service.ts"
import { Console, expecting, inspect } from "./Console.ts"
import { ownDatabase } from "@tentpole/adapters/test/TestDatabase"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start(await ownDatabase())

const opened = {
  kind: "condition",
  source: "email_step",
  nodeId: "hello",
  metric: "opened",
  operator: "has_activity",
}

describe.skipIf(started === null)("flows", () => {
  let console_: Console
  let call: ReturnType<typeof callsOf>
  let ann: string
  const emails: Record<string, string> = {}
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    call = callsOf(console_.service)
    const { items } = await call("POST", "/v1/contacts", { items: [{ email: "ann@example.org", first_name: "Ann" }] })
    ann = items[0].contact_id
    for (const name of ["Welcome letter", "Tips", "Reminder"]) {
      const { email_id } = await call("POST", "/v1/emails", {
        name,
        subject: `${name} for {{contact.first_name|you}}`,
        from_name: "Acme",
        from_address: "hi@example.test",
        reply_to_email: "hi@example.test",
        html: `<h1>${name}</h1>`,
      })
      if (name !== "Reminder") await call("POST", `/v1/emails/${email_id}/approve`, {})
      emails[name] = email_id
    }
  })
  afterAll(() => started?.close())

  /** A welcome that asks whether its letter was opened. */
  const branching = () => [
    { type: "send_email", step_id: "hello", label: "Hello", email_id: emails["Welcome letter"], next_step_id: "pause" },
    { type: "wait", step_id: "pause", duration_amount: 3, duration_unit: "days", next_step_id: "which" },
    { type: "condition_check", step_id: "which", label: "Opened?", condition: opened, true_step_id: "tips" },
    { type: "send_email", step_id: "tips", label: "Tips", email_id: emails["Tips"] },
  ]

  const flow = async (name: string, steps: ReadonlyArray<object>): Promise<string> =>
    (await call("POST", "/v1/email-flows", { name, steps })).flow_id

  const stored = async (id: string): Promise<Json> => call("GET", `/v1/email-flows/${id}`)

  const box = (page: Page, id: string) => page.locator(`[data-box="step:${id}"]`)

  const focused = (page: Page, what: string, selector: string) =>
    until(what, () =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.matches(":focus")),
    )

  it("begin with one button where there is none", async () => {
    await console_.visit("/flows", (page) => page.getByText("No flows yet").waitFor())
  })

  it("begin with a draft of the page, whose missing parts are shown at their steps", async () => {
    const page = await console_.screen("/flows")
    await page.getByRole("button", { name: "New flow" }).first().click()
    const dialog = page.getByRole("dialog", { name: "New flow" })
    await dialog.getByLabel("Win back").check()
    await dialog.getByRole("button", { name: "Create flow" }).click()
    await page.getByRole("heading", { name: "Win back" }).waitFor()
    await page.getByRole("button", { name: "3 things to fix" }).click()
    await page.getByRole("button", { name: "Last email", exact: true }).click()
    await page.getByText("Choose an email", { exact: true }).waitFor()
    assert.strictEqual(await page.locator(".flow-step[data-problem]").count(), 2)
    await inspect(page, "missing parts")
    await page.context().close()
  })

  it("are built, mended, undone and saved by keys alone", async () => {
    const id = await flow("By keys", [])
    const page = await console_.screen(`/flows/${id}`)
    const press = async (...keys: ReadonlyArray<string>) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await page.getByRole("button", { name: "Add a step at the beginning" }).focus()
    await press("Enter")
    await focused(page, "the first entry to have the focus", "[role=menuitem]")
    await press("Enter")
    await focused(page, "the editor to have the focus", "#flow-panel-title")
    await page.getByRole("combobox", { name: "Email", exact: true }).focus()
    await page.keyboard.type("rem")
    await page.getByRole("option", { name: /Reminder/ }).waitFor()
    await press("ArrowDown", "Enter")
    await press("Escape")
    await focused(page, "the step to have the focus", '[data-box="step:email_1"]')
    await press("a")
    await focused(page, "the first entry to have the focus", "[role=menuitem]")
    await press("ArrowDown", "Enter")
    await box(page, "wait_1").waitFor()
    await page.getByRole("textbox", { name: "How long" }).fill("2")
    await press("ControlOrMeta+s")
    await page.getByText("not saved").waitFor({ state: "detached" })
    const { steps } = await stored(id)
    assert.deepStrictEqual(
      steps.map((step: Json) => [step.step_id, step.email_id ?? step.duration_amount, step.next_step_id]),
      [
        ["email_1", emails["Reminder"], "wait_1"],
        ["wait_1", 2, null],
      ],
    )
    await box(page, "email_1").locator(".flow-mark").waitFor()
    await press("Escape", "ArrowUp", "Delete")
    await box(page, "email_1").waitFor({ state: "detached" })
    await press("ControlOrMeta+z")
    await box(page, "email_1").waitFor()
    await press("f")
    await page.getByRole("textbox", { name: "Find a step" }).fill("2 days")
    await press("Enter")
    await focused(page, "the found step to be edited", "#flow-panel-title")
    await page.getByRole("heading", { name: "Wait" }).waitFor()
    await page.context().close()
  })

  it("are changed by the mouse: dragged from the side, connected, and kept over a reload until they are saved", async () => {
    const id = await flow("By mouse", branching())
    const page = await console_.screen(`/flows/${id}`)
    await box(page, "tips").waitFor()
    await page.getByRole("button", { name: "Create page" }).dragTo(page.locator('[data-place="false:which"]'))
    await page.getByRole("heading", { name: "Create page" }).waitFor()
    await page.getByLabel("Prompt").fill("A page about chairs")
    await page.reload()
    await page.getByText("not saved").waitFor()
    await box(page, "page_1").click()
    assert.strictEqual(await page.getByLabel("Prompt").inputValue(), "A page about chairs")
    await page.getByRole("button", { name: "Show all" }).click()
    const drag = async (handle: Locator, target: Locator) => {
      const [from, to] = [await handle.boundingBox(), await target.boundingBox()]
      if (from === null || to === null) return assert.fail("nothing to drag")
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
      await page.mouse.down()
      await page.mouse.move(to.x + to.width / 4, to.y + to.height / 2, { steps: 4 })
      await page.mouse.up()
    }
    await drag(page.locator('[data-id="step:page_1"] .flow-source'), box(page, "tips"))
    await page.locator('[data-wire="next:page_1"]').waitFor()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("not saved").waitFor({ state: "detached" })
    const { steps } = await stored(id)
    const ways = steps.map((step: Json) => [step.step_id, step.next_step_id ?? step.false_step_id ?? null])
    assert.deepStrictEqual(ways.slice(2), [
      ["which", "page_1"],
      ["page_1", "tips"],
      ["tips", null],
    ])
    await page.context().close()
  })

  it("say at the field what the service refuses", async () => {
    const page = await console_.screen(`/flows/${await flow("Refused", branching())}?step=pause`)
    expecting(page, /400/)
    await page.getByRole("textbox", { name: "How long" }).fill("9999")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("must be a whole number from 1 to 3650").waitFor()
    await page.getByRole("textbox", { name: "How long" }).fill("4")
    await page.getByText("must be a whole number from 1 to 3650").waitFor({ state: "detached" })
    await page.context().close()
  })

  it("are simulated: the way of the person is lit on the canvas, and the timeline is beside it", async () => {
    const id = await flow("Simulated", branching())
    const page = await console_.screen(`/flows/${id}?simulate=true`)
    const panel = page.getByRole("region", { name: "Simulation" })
    await panel.getByRole("button", { name: "Simulate" }).click()
    await panel.getByText("The condition is not met").waitFor()
    assert.strictEqual(await page.locator(".flow-step[data-lit]").count(), 3)
    await panel.getByRole("button", { name: "Add an action" }).click()
    await panel.getByRole("button", { name: "Simulate" }).click()
    await panel.getByText("Tips for Ann").waitFor()
    await box(page, "tips").and(page.locator("[data-lit]")).waitFor()
    assert.strictEqual(await page.locator(".flow-step[data-lit]").count(), 4)
    await panel.getByRole("button", { name: "One step back" }).click()
    await panel.getByRole("button", { name: /was sent “Hello”/ }).click()
    await until("only the first step to be lit", async () => (await page.locator(".flow-step[data-lit]").count()) === 1)
    await panel.getByRole("button", { name: "Play", exact: true }).click()
    await until("the film to reach its end", async () => (await page.locator(".flow-step[data-lit]").count()) === 4)
    await inspect(page, "a simulation")
    await page.context().close()
  })

  it("are activated, watched, paused, and ask before members lose their step", async () => {
    const id = await flow("Live", branching())
    const page = await console_.screen(`/flows/${id}`)
    await page.getByRole("button", { name: "Activate…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click()
    await page.getByText("Pause it to change steps and triggers").waitFor()
    await page.getByRole("link", { name: "Members" }).click()
    await page.getByRole("button", { name: "Add a contact" }).click()
    const dialog = page.getByRole("dialog", { name: "Add a contact" })
    await dialog.getByRole("combobox", { name: "Contact" }).fill("ann")
    await page.getByRole("option", { name: /ann@example.org|Ann/ }).click()
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText("The contact is in the flow").waitFor()
    await page.getByRole("link", { name: "Live" }).click()
    await box(page, "pause").getByText("1 here").waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    await box(page, "pause").click()
    await page.getByRole("button", { name: "Remove the step" }).click()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    const question = page.getByRole("dialog", { name: "Members are at steps that you removed" })
    await question.getByText("Wait: 1 member").waitFor()
    await inspect(page, "the question before a save")
    await question.getByRole("button", { name: "Save anyway" }).click()
    await question.waitFor({ state: "detached" })
    assert.strictEqual((await stored(id)).steps.length, 3)
    await page.context().close()
  })

  it("have members with timelines, who can be removed", async () => {
    const id = await flow("With members", branching())
    await call("POST", `/v1/email-flows/${id}/activate`)
    const { membership_id } = await call("POST", `/v1/email-flows/${id}/contacts/${ann}`, {})
    await until("the member to wait", async () => {
      const { status } = await call("GET", `/v1/email-flows/${id}/members/${membership_id}`)
      return status === "waiting"
    })
    await console_.visit(`/flows/${id}/members`, (page) => page.getByText("ann@example.org").waitFor())
    await console_.visit(`/flows/${id}/members/${membership_id}`, (page) => page.getByText("waits at “Wait”").waitFor())
    const page = await console_.screen(`/flows/${id}/members/${membership_id}`)
    await page.getByRole("button", { name: "Remove from the flow" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await page.getByText("removed by hand").first().waitFor()
    await page.context().close()
  })

  it("are shown in each view: as a canvas, and on a phone as a list with the same editors", async () => {
    const id = await flow("Shown", branching())
    await console_.visit(`/flows/${id}?step=which`, async (page) => {
      await page.getByRole("button", { name: "Edit the rules" }).click()
      await page.getByRole("group", { name: "Condition 1" }).waitFor()
    })
    await console_.visit(`/flows/${id}?simulate=true`, async (page) => {
      await page.getByRole("region", { name: "Simulation" }).getByRole("button", { name: "Simulate" }).click()
      await page.getByText("completed the flow").waitFor()
    })
    await console_.visit(`/flows/${id}?view=list`, async (page, { width }) => {
      await page.getByRole("button", { name: "Send email Hello" }).click()
      if (width > 500) return
      await page.getByRole("dialog").getByRole("textbox", { name: "Label" }).fill("Good morning")
      await page.getByRole("button", { name: "Close" }).click()
      await page.getByRole("button", { name: "Send email Good morning" }).waitFor()
    })
  })
})
