// The image and the deployment beside it, as far as they can be tried without Docker: everything they name is there, they
// say what the configuration asks, hold no secret, and the roles they make are enough for the service and no more.
import { PgClient } from "@effect/sql-pg"
import { type Configuration, configuration } from "@tentpole/adapters/Configuration"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { client } from "@tentpole/adapters/postgres/kernel/Postgres"
import { commandNames } from "@tentpole/http/cli/CommandLine"
import { Effect, Redacted, Result } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, inject, it } from "vitest"
import { compose, type ComposeService, filled, required } from "./ship/Compose.ts"
import { copied, environmentOf, shown, stages } from "./ship/Dockerfile.ts"

const at = (path: string): URL => new URL(`../${path}`, import.meta.url)
const read = (path: string): string => readFileSync(at(path), "utf8")

const image = stages(read("Dockerfile"))
const [last] = image.slice(-1)
const text = read("compose.yaml")
/** Of a kind that every secret may be. */
const given = (name: string): string => `${name.toLowerCase()}0123456789abcdef0123456789abcdef`
const { services, volumes } = compose(filled(text, given))
const asWritten = compose(text).services
const own = Object.entries(services).filter(([, { image }]) => image.startsWith("tentpole:"))

/** What a process of the image is configured with. */
const configured = ({ environment = {} }: ComposeService): Configuration => {
  const made = configuration({ ...(last === undefined ? {} : environmentOf(last)), ...environment })
  return Result.isSuccess(made) ? made.success : assert.fail(made.failure.message)
}

const pinned = /:v?\d+\.\d+\.?\d*[\w.-]*$/

describe("the image", () => {
  it("is built from images of one version each, and stages that are there", () => {
    const names = new Set(image.map(({ name }) => name))
    for (const { image: from } of image) assert(names.has(from) || pinned.test(from), from)
  })

  it("is given only files that are in the repository and not ignored; what is built is built by the stage it comes from", () => {
    const sees = shown(read(".dockerignore"))
    for (const { instructions } of image) {
      for (const instruction of instructions.filter(({ name }) => name === "COPY")) {
        const { stage, sources } = copied(instruction)
        for (const source of sources) {
          if (stage === undefined) assert(existsSync(at(source)) && sees(source), source)
          else
            assert.include(
              image.map(({ name }) => name),
              stage,
            )
          const [, of] = /^\/app\/(packages\/\w+)\/dist$/.exec(source) ?? []
          if (of !== undefined) assert.include(read(`${of}/tsconfig.json`), `"outDir": "dist"`)
        }
      }
    }
    for (const secret of [".env", ".git", "data", "node_modules/effect/package.json", "packages/core/test/a.test.ts"]) {
      assert(!sees(secret), `${secret} would be sent to whoever builds`)
    }
    for (const source of ["packages/http/src/main.ts", "packages/core/contract/index.ts"]) assert(sees(source), source)
  })

  it("runs as nobody special, with a command that there is, and is asked about its health on the port it listens on", () => {
    const words = (wanted: string) => last?.instructions.filter(({ name }) => name === wanted).at(-1)?.words ?? []
    assert.deepStrictEqual(words("USER"), ["node"])
    const asked = words("HEALTHCHECK")
      .join(" ")
      .match(/[\w./]+\.js/)?.[0]
    for (const program of [words("ENTRYPOINT")[1], asked]) {
      const source = program?.replace(/\/dist\/(.*)\.js$/, "/$1.ts") ?? "none"
      assert(existsSync(at(source)), source)
    }
    assert.include(commandNames, words("CMD")[0])
    const { port, pagesPort, host, production } = configured({ image: "", environment: { APP_SECRET: given("a") } })
    assert.deepStrictEqual(words("EXPOSE"), [String(port), String(pagesPort)])
    assert.deepStrictEqual([host, production], ["0.0.0.0", true])
  })

  it("sets variables that there are", () => {
    const of_node = ["NODE_ENV", "NODE_COMPILE_CACHE"]
    const documented = read("docs/configuration.md")
    for (const name of Object.keys(last === undefined ? {} : environmentOf(last))) {
      assert(of_node.includes(name) || documented.includes(`\n| \`${name}\` |`), name)
    }
  })
})

describe("the deployment", () => {
  it("runs images of one version each, and its own in the version of this repository", () => {
    const { version } = JSON.parse(read("package.json"))
    for (const [name, { image: from }] of Object.entries(services)) assert.match(from, pinned, name)
    for (const [, service] of own) assert.strictEqual(service.image, `tentpole:${version}`)
    assert.strictEqual(own.filter(([, { build }]) => build === ".").length, 1)
  })

  it("runs commands that there are, with variables that there are, in a configuration that is taken", () => {
    const documented = read("docs/configuration.md")
    for (const [name, service] of own) {
      assert.include(commandNames, service.command?.[0])
      for (const variable of Object.keys(service.environment ?? {})) {
        assert(variable.startsWith("AWS_") || documented.includes(`\n| \`${variable}\` |`), `${name}: ${variable}`)
      }
      const { appSecret, s3, smtpUrl, databaseUrl } = configured(service)
      for (const set of [appSecret, s3, smtpUrl, databaseUrl]) assert.isNotNull(set)
    }
  })

  it("holds no secret: passwords come from outside, and without one it does not start", () => {
    const secret = /PASSWORD|SECRET|TOKEN|API_KEY|DATABASE.*URL/
    for (const [name, { environment = {} }] of Object.entries(asWritten)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (secret.test(variable)) assert.match(value, /\$\{[A-Z_]+:(\?|-)\}/, `${name}: ${variable}`)
      }
    }
    const [, made = ""] = /^for name in (.*); do$/m.exec(read("docs/operating.md")) ?? []
    assert.sameMembers(made.split(" "), [...required(text)], "docs/operating.md makes what compose.yaml requires")
  })

  it("the owner's password is known to migrations only, and nothing is open to others than this machine", () => {
    for (const [name, service] of own) {
      const knows = JSON.stringify(service.environment).includes(given("OWNER_PASSWORD"))
      assert.strictEqual(knows, name === "migrate", name)
      assert(service.read_only === true && service.tmpfs?.includes("/var/lib/tentpole"), name)
      assert.isAtLeast(Number.parseInt(service.stop_grace_period ?? "0", 10), 35, name)
    }
    for (const { ports = [] } of Object.values(services)) for (const port of ports) assert.match(port, /^127\.0\.0\.1:/)
  })

  it("publishes ports that are listened on; the store and the mail server are where the service looks for them", () => {
    const { http, worker, files, mail } = services
    if (http === undefined || worker === undefined) return assert.fail("no processes")
    const api = configured(http)
    assert.deepStrictEqual(
      http.ports,
      [api.port, api.pagesPort].map((port) => `127.0.0.1:${port}:${port}`),
    )
    assert.isNotNull(configured(worker).workerPort)
    const store = new URL(api.s3?.endpoint ?? "")
    assert.deepStrictEqual(files?.ports, [`127.0.0.1:${store.port}:${store.port}`])
    assert.deepStrictEqual(files?.networks?.default.aliases, [store.hostname])
    assert.include(files?.volumes?.[0], `/${api.s3?.bucket}`)
    assert.include(files?.healthcheck?.test?.at(-1), `:${store.port}/`)
    assert.isDefined(mail)
    assert.strictEqual(new URL(Redacted.value(api.smtpUrl ?? Redacted.make(""))).host, "mail:1025")
  })

  it("waits for what is there and tells of its health; its volumes and files are there", () => {
    for (const [name, { depends_on = {}, volumes: mounted = [] }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const service = services[other]
        assert(service !== undefined, `${name} waits for ${other}`)
        if (condition === "service_healthy") assert.isDefined(service.healthcheck?.test, other)
        else assert.strictEqual([condition, other].join(), "service_completed_successfully,migrate")
      }
      for (const [source = ""] of mounted.map((mount) => mount.split(":"))) {
        assert(source.startsWith("./") ? existsSync(at(source)) : source in volumes, `${name}: ${source}`)
      }
    }
  })
})

/** The statements of docker/roles.sql with other names: the server of this run has roles of its own. */
const roles = (): ReadonlyArray<string> =>
  read("docker/roles.sql")
    .replaceAll(/^(--|\\).*$/gm, "")
    .replaceAll(/:'(\w+)'/g, "'secret'")
    .replaceAll(/tentpole_(owner|login)/g, "shipped_$1")
    .replaceAll("database tentpole", "database shipped")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "" && !statement.startsWith("create role tentpole_service"))

it("an owner with no right beyond its database migrates; the service's login may not, and needs not once that is done", async () => {
  const server = inject("pgServer")
  const address = (user: string) => {
    const url = new URL(`${server}/shipped`)
    return Redacted.make(Object.assign(url, { username: `shipped_${user}`, password: "secret" }).href)
  }
  const superuser = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const statement of roles()) yield* sql.unsafe(statement).unprepared
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(`${server}/postgres`), maxConnections: 1 })))
  await Effect.runPromise(superuser)

  const early = await Effect.runPromise(Effect.flip(migrate(address("login"))))
  assert.match(
    early.message,
    /^The database lacks migrations of this version \(\d+, from 0001_workspaces to .*\), and this login may not make them: run `tentpole migrate` with a DATABASE_MIGRATION_URL/,
  )
  assert.isNotEmpty(await Effect.runPromise(migrate(address("owner"))))
  assert.deepStrictEqual(await Effect.runPromise(migrate(address("login"))), [])

  const options = { url: address("login"), applicationName: "t", connections_max: 1, statement_timeout_ms: 60_000 }
  const asService = <A, E>(asked: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.flatMap(PgClient.PgClient, asked).pipe(Effect.provide(client(options))))
  const rows = await asService(
    (sql) => sql`select current_user::text as name, (select count(*)::int from plan) as plans`,
  )
  assert.deepStrictEqual(rows, [{ name: "tentpole_service", plans: 3 }])
  const refused = await asService((sql) => Effect.flip(sql`alter table public.contact add column mine text`))
  assert.strictEqual(refused.reason._tag, "AuthorizationError")
})
