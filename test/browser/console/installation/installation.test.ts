// The installation in the console: its processes, dead jobs and the doctor; workspaces; and the audit log.
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { callsOf } from "../../../support/Service.ts"
import * as Owner from "../../../support/Owner.ts"
import { Console, expecting, inspect, owner } from "../Console.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const started = await Console.start()

const tentId = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

/** A process that has not been seen for five minutes, messages that waited three hours ago, and two dead jobs. The first one would run now. */
const breakSomething = ({ service }: Console, workspaceId: string) =>
  Effect.gen(function* () {
    const url =
      (yield* runningUrl(join(service.environment["DATA_DIR"] ?? "", "database"))) ?? assert.fail("no database")
    yield* Effect.gen(function* () {
      const sql = yield* Owner.Owner
      yield* sql`
        insert into process (process_id, kind, started_at, seen_at, rss_bytes, event_loop_p99_ms)
        values (${tentId}, 'worker', now() - interval '1 hour', now() - interval '5 minutes', 180000000, 1.5)`
      yield* sql`
        insert into due_lag (at, kind, lag_s)
        select date_bin('15 minutes', now() - interval '3 hours', 'epoch') + lag * interval '15 minutes', 'deliveries', lag * 40
        from generate_series(0, 4) as lag`
      for (const [id, payload] of [
        ["asset_cleanup:1", JSON.stringify({ type: "asset_cleanup", workspaceId, tentId, assetIds: [] })],
        ["list_export:2", "{}"],
      ] as const) {
        yield* sql`
          insert into jobs.job_queue (id, workspace_id, type, payload, state, attempts, last_failure)
          values (${id}, ${workspaceId}, ${id.split(":")[0]}, ${payload}::jsonb, 'dead', 10, 'S3: 403 AccessDenied')`
      }
    }).pipe(Effect.provide(Owner.layer(url)))
  }).pipe(Effect.scoped, Effect.runPromise)

describe.skipIf(started === null)("the installation", () => {
  let console_: Console
  beforeAll(async () => {
    console_ = started ?? assert.fail("no browser")
    const { workspace_id } = await callsOf(console_.service)("GET", "/v1/workspace")
    await breakSomething(console_, workspace_id)
  })
  afterAll(() => started?.close())

  /** Chooses an action of the menu of a row. */
  const choose = async (page: Page, row: string, action: string) => {
    await page.getByRole("button", { name: `More actions: ${row}` }).click()
    await page.getByRole("menuitem", { name: action }).click()
  }

  it("has its processes, queues, dead jobs and checks on one screen", async () => {
    await console_.visit("/operations", async (page) => {
      const processes = page.getByRole("region", { name: "Processes" })
      await processes.getByText("HTTP", { exact: true }).waitFor()
      await processes.getByText("Worker", { exact: true }).waitFor()
      await processes.getByText("Worker, not responding").waitFor()
      const lags = page.getByRole("region", { name: "Longest wait of due work" })
      await lags.getByRole("button", { name: "Show as table" }).click()
      await lags.getByRole("cell", { name: "160" }).waitFor()
      await lags.getByRole("button", { name: "Show as chart" }).click()
      await page.getByText("S3: 403 AccessDenied").first().waitFor()
      await page.getByRole("button", { name: "Run doctor" }).click()
      const checks = page.getByRole("region", { name: "Doctor" })
      await checks.getByText(/^PostgreSQL \d+ answers$/).waitFor()
      await checks.getByText("Set NODE_ENV=production for production.").waitFor()
    })
  })

  it("tries a dead job again, and discards another one after a question", async () => {
    const page = await console_.screen("/operations")
    await choose(page, "Clean up files", "Requeue")
    await page.getByText("The job is queued again").waitFor()
    await page.getByRole("button", { name: "More actions: Clean up files" }).waitFor({ state: "detached" })
    await choose(page, "Export of a list", "Discard")
    await page.getByRole("dialog").waitFor()
    await page.getByRole("menu").waitFor({ state: "detached" })
    await inspect(page, "the question before a job is discarded")
    await page.getByRole("dialog").getByRole("button", { name: "Discard job" }).click()
    await page.getByText("Job discarded").waitFor()
    await page.getByRole("region", { name: "Dead jobs" }).waitFor({ state: "detached" })
    await page.context().close()
  })

  /** A row of the audit log. */
  const entry = (page: Page, action: string) => page.getByRole("row").filter({ hasText: action }).first()

  /** Creates a workspace, and returns the link for its first owner. */
  const createAcme = async (page: Page): Promise<string> => {
    await page.getByRole("button", { name: "New workspace" }).click()
    const form = page.getByRole("dialog", { name: "New workspace" })
    await form.getByLabel("Name").fill("Acme")
    await form.getByLabel("Slug").fill("default")
    await form.getByLabel("Plan").selectOption("Pro")
    await form.getByLabel("Credits").fill("500")
    expecting(page, /409/)
    await form.getByRole("button", { name: "Create workspace" }).click()
    await form.getByText(/^Another workspace has the slug/).waitFor()
    await inspect(page, "a taken slug")
    await form.getByLabel("Slug").fill("acme")
    await form.getByRole("button", { name: "Create workspace" }).click()
    const invitation = page.getByRole("dialog", { name: "Invite" })
    await invitation.getByLabel("Email").fill("ben@example.org")
    await invitation.getByRole("button", { name: "Create link" }).click()
    const link = page.getByText(/#link=/)
    const url = (await link.textContent()) ?? assert.fail("no link")
    await page.getByRole("button", { name: "Done" }).click()
    return url
  }

  it("makes a workspace, whose owner sees its audit log and nothing of the installation", async () => {
    const page = await console_.screen("/workspaces")
    const link = await createAcme(page)
    await page.getByText("500", { exact: true }).waitFor()
    await inspect(page, "the workspaces")
    const other = await console_.open(link, { width: 390, scheme: "dark" }, false)
    expecting(other, /401.*\/auth\/v1\/session/)
    await other.getByLabel("Your name").fill("Ben Ray")
    await other.getByRole("button", { name: "Use a password instead" }).click()
    await other.getByRole("textbox", { name: "Password" }).fill(owner.password)
    await other.getByRole("button", { name: "Join" }).click()
    await other.getByRole("button", { name: "Account of Ben Ray" }).waitFor()
    await other.goto(`${console_.origin}/w/acme/audit`)
    await entry(other, "Member joined").waitFor()
    await inspect(other, "the audit log of an owner")
    await other.getByRole("button", { name: "Menu" }).click()
    const menu = other.getByRole("navigation")
    await menu.getByRole("link", { name: "Audit log" }).waitFor()
    assert.strictEqual(await menu.getByRole("link", { name: /Operations|Workspaces/ }).count(), 0)
    expecting(other, /403/)
    await other.goto(`${console_.origin}/w/acme/operations`)
    await other.getByText("Only operators of the installation can do this.").waitFor()
    await other.context().close()

    await choose(page, "Acme", "Edit")
    await page.getByRole("dialog").getByLabel("Credits").fill("750")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await page.getByText("750", { exact: true }).waitFor()
    await choose(page, "Acme", "Delete")
    await page.getByRole("dialog").getByRole("textbox").fill("acme")
    await page.getByRole("dialog").getByRole("button", { name: "Delete workspace" }).click()
    await page.getByText("Acme is being deleted").waitFor()
    await page.context().close()
  })

  it("filters the audit log, and saves what is filtered", async () => {
    await console_.visit("/audit", async (page, { width }) => {
      await entry(page, "Dead job discarded").waitFor()
      if (width < 500) return
      await page.getByLabel("What", { exact: true }).selectOption("Dead job discarded")
      await page.waitForURL(/action=job\.abandoned/)
      await entry(page, "Dead job requeued").waitFor({ state: "detached" })
      await page.getByLabel("Who", { exact: true }).selectOption(owner.name)
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "CSV" }).click(),
      ])
      const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n")
      assert.strictEqual(lines.length, 2)
      assert.match(lines[1] ?? "", new RegExp(`"user:[^"]+","${owner.name}","job.abandoned","list_export:2"`))
      await page.getByRole("button", { name: "Clear" }).click()
      await page.getByText("Installation", { exact: true }).last().click()
      await entry(page, "Workspace deleted").waitFor()
    })
  })
})
