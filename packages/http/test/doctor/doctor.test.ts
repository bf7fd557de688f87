// Tests of the doctor's findings.
import { configuration } from "@tentpole/adapters/Configuration"
import type { ClusterDiagnosis, Diagnosis } from "@tentpole/adapters/postgres/operations/Diagnosis"
import type { ClusterNode } from "@tentpole/core/operations/nodes/ClusterNode"
import { judgeCluster } from "@tentpole/http/doctor/Cluster"
import { type Finding, table } from "@tentpole/http/doctor/Finding"
import {
  judgeAi,
  judgeBucket,
  judgeDatabase,
  judgeFolder,
  judgeJournal,
  judgeSettings,
  judgeSilence,
} from "@tentpole/http/doctor/Judgements"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const well: Diagnosis = {
  version: 180_004,
  user: "owner",
  unbound: false,
  mayBeService: true,
  ahead_ms: 12,
  connections_free: 80,
  lacking: [],
  restored_at: null,
  epoch: 0,
  unjournaled_at: null,
  cluster: null,
  webhooks: { disabled: 0, lag_s: 2 },
  messages: { lag_s: 1, shared_count: 0 },
  consent: { unnamed_count: 0, untopical_count: 0, held_count: 0 },
  pending: [],
  unknown: [],
}

const amiss = (findings: ReadonlyArray<Finding>) =>
  findings.filter(({ state }) => state !== "ok").map(({ check, state }) => `${state} ${check}`)

const settings = (environment: Record<string, string>) =>
  amiss(judgeSettings(Result.getOrThrow(configuration(environment))))

describe("tentpole doctor", () => {
  it("warns of networks that open every address, or those at which clouds give out credentials", () => {
    const networks = (text: string) => settings({ WEBHOOK_ALLOWED_NETWORKS: text }).slice(2)
    for (const fine of ["", "10.0.0.0/8,fd12::/16", "169.254.0.0/16", "fd00::/8"]) {
      assert.deepStrictEqual(networks(fine), [], fine)
    }
    for (const open of ["0.0.0.0/0", "::/0", "10.0.0.0/8,169.254.169.254", "fd00:ec2::254/128"]) {
      assert.deepStrictEqual(networks(open), ["warning WEBHOOK_ALLOWED_NETWORKS"], open)
    }
  })

  it("finds no problem in a correct database", () => {
    assert.deepStrictEqual(amiss(judgeDatabase(well)), [])
  })

  it("says how the service becomes tentpole_service", () => {
    const said = (user: string) => judgeDatabase({ ...well, user }).find(({ check }) => check === "database role")?.says
    assert.strictEqual(said("owner"), "owner may act as tentpole_service")
    assert.strictEqual(said("tentpole_service"), "the service logs in as tentpole_service")
  })

  it("reports each problem of a database with its remedy", () => {
    const faults: ReadonlyArray<readonly [Partial<Diagnosis>, string, RegExp]> = [
      [{ version: 140_010 }, "wrong database", /15 or later/],
      [{ unbound: true }, "wrong database role", /nosuperuser/],
      [{ mayBeService: false }, "wrong database role", /grant tentpole_service to owner/],
      [{ pending: ["0001_baseline"] }, "wrong migrations", /tentpole migrate/],
      [{ unknown: ["0999_later"] }, "warning migrations", /Update/],
      [{ restored_at: "2026-01-02T03:04:05.000Z" }, "warning restore", /tentpole restore release --all/],
      [{ webhooks: { disabled: 2, lag_s: 0 } }, "warning webhooks", /webhook list/],
      [{ webhooks: { disabled: 0, lag_s: 90 } }, "warning webhooks", /worker/],
      [{ messages: { lag_s: 11, shared_count: 0 } }, "warning messages", /mail server/],
      [{ messages: { lag_s: 0, shared_count: 2 } }, "warning senders", /another sender address/],
      [{ consent: { ...well.consent, unnamed_count: 1 } }, "warning consent", /tentpole workspace update/],
      [{ consent: { ...well.consent, untopical_count: 1 } }, "warning topics", /Choose a topic/],
      [{ consent: { ...well.consent, held_count: 1 } }, "warning confirmations", /confirmations_per_hour/],
      [{ ahead_ms: -9000 }, "wrong clock", /NTP/],
      [{ connections_free: 3 }, "warning connections", /max_connections/],
      [{ lacking: ["alter role a set jit = 'off';"] }, "wrong session settings", /alter role a/],
    ]
    for (const [fault, says, mend] of faults) {
      const findings = judgeDatabase({ ...well, ...fault })
      assert.deepStrictEqual(amiss(findings), [says])
      assert.match(findings.find(({ state }) => state !== "ok")?.mend ?? "", mend)
    }
  })

  it("distinguishes a wrong password from an unreachable server", () => {
    assert.include(judgeSilence("AuthenticationError").mend, "password")
    assert.include(judgeSilence("ConnectionError").mend, "running")
  })

  it("reports each refusal of a bucket with its remedy, and an unreachable bucket", () => {
    for (const [reason, says, mend] of [
      ["SignatureDoesNotMatch", "refuses the signature", "AWS_SECRET_ACCESS_KEY"],
      ["InvalidAccessKeyId", "does not know the access key", "AWS_ACCESS_KEY_ID"],
      ["CredentialsProviderError", "without AWS credentials", "role"],
      ["AccessDenied", "denies access", "get, put, list and delete"],
      ["NoSuchBucket", "does not exist", "S3_BUCKET"],
      ["PermanentRedirect", "another region", "S3_REGION"],
      ["RequestTimeTooSkewed", "different time", "NTP"],
      ["ECONNREFUSED", "can't be used (ECONNREFUSED)", "S3_ENDPOINT"],
      ["constructor", "can't be used (constructor)", "S3_ENDPOINT"],
    ] as const) {
      const found = judgeBucket("files", reason)
      assert.strictEqual(found.state, "wrong")
      assert.include(found.says, `the bucket files`)
      assert.include(found.says, says)
      assert.include(`${found.mend}`, mend)
    }
    assert.include(judgeFolder("/data/assets", "EACCES").says, "EACCES")
  })

  it("distinguishes a refused key from a busy provider, and accepts a server without a list of models", () => {
    assert.deepStrictEqual(
      [200, 404, 401, 403, 429, 503].map((status) => judgeAi("openai", status).state),
      ["ok", "ok", "wrong", "wrong", "warning", "warning"],
    )
  })

  it("warns in development, and about local URLs in production", () => {
    assert.deepStrictEqual(settings({}), ["warning NODE_ENV", "warning APP_SECRET"])
    const production = { NODE_ENV: "production", APP_SECRET: "x".repeat(32) }
    assert.deepStrictEqual(settings(production), ["wrong PUBLIC_API_URL", "wrong PUBLIC_PAGES_URL"])
    const served = { PUBLIC_API_URL: "https://api.example.com", PUBLIC_PAGES_URL: "http://pages.example.com" }
    assert.deepStrictEqual(settings({ ...production, ...served, SENDING: "held", RATE_LIMIT_PER_MINUTE: "0" }), [
      "warning PUBLIC_PAGES_URL",
      "warning SENDING",
      "warning RATE_LIMIT_PER_MINUTE",
    ])
  })

  it("warns of so few connections that single messages wait for those of blasts", () => {
    const connections = (count: string) =>
      settings({ SMTP_URL: "smtp://localhost:25", SMTP_CONNECTIONS: count }).slice(2)
    assert.deepStrictEqual([connections("2"), connections("3")], [["warning SMTP_CONNECTIONS"], []])
  })

  it("prints each finding with its remedy below", () => {
    assert.deepStrictEqual(
      table([
        { check: "mail", state: "ok", says: "answers", mend: null },
        { check: "clock", state: "wrong", says: "is late", mend: "Use NTP." },
      ]).split("\n"),
      ["ok       mail   answers", "WRONG    clock  is late", "                Use NTP."],
    )
  })
})

describe("judgeCluster", () => {
  const node: ClusterNode = {
    name: "db1:5432",
    mayHaveShards: true,
    isReachable: true,
    shards: 16,
    version: "13.2-1",
    due: [{ kind: "deliveries", workspaces: 3, lag_s: 7.4 }],
  }
  const other: ClusterNode = { ...node, name: "db2:5432", due: [] }
  const dead: ClusterNode = { ...other, isReachable: false, version: null }
  const whole: ClusterDiagnosis = { nodes: [node, other], misplaced: [], isUnfinished: false }

  it("has nothing to say about a plain PostgreSQL", () => {
    assert.deepStrictEqual(judgeCluster(null), [])
  })

  it("shows each node with its shards and its work", () => {
    assert.deepStrictEqual(
      judgeCluster(whole).map(({ check, says, state }) => `${state} ${check}: ${says}`),
      [
        "ok node db1:5432: shards: 16; due: deliveries of 3 workspaces for 7 s",
        "ok node db2:5432: shards: 16; no work is due",
        "ok Citus: 13.2-1 on each node that answers",
        "ok shards: they are balanced",
        "ok distribution: every table is where it belongs",
      ],
    )
  })

  it("reports each problem with its remedy", () => {
    const faults: ReadonlyArray<readonly [Partial<ClusterDiagnosis>, ReadonlyArray<string>, RegExp]> = [
      [{ nodes: [node, dead] }, ["wrong node db2:5432", "warning work"], /pg_hba/],
      [{ nodes: null }, ["wrong nodes", "warning work"], /does not answer/],
      [{ nodes: [node, { ...other, version: "13.1-1" }] }, ["wrong Citus"], /alter extension citus update/],
      [{ nodes: [node, { ...other, shards: 0 }] }, ["warning shards"], /citus_rebalance_start/],
      [{ misplaced: ["contact"] }, ["wrong distribution"], /tentpole migrate --distribute/],
      [{ isUnfinished: true }, ["wrong distribution"], /tentpole migrate --distribute/],
    ]
    for (const [fault, says, mend] of faults) {
      const findings = judgeCluster({ ...whole, ...fault })
      assert.deepStrictEqual(amiss(findings), says)
      assert.match(findings.find(({ state }) => state !== "ok")?.mend ?? "", mend)
    }
  })

  it("says nothing about messages, webhooks and consent while a node is not reachable", () => {
    const checks = judgeDatabase({ ...well, cluster: { ...whole, nodes: [node, dead] } }).map(({ check }) => check)
    assert.includeMembers(checks, ["node db1:5432", "node db2:5432", "clock"])
    for (const unknown of ["webhooks", "messages", "senders", "consent", "topics"]) assert.notInclude(checks, unknown)
  })
})

describe("judgeJournal", () => {
  const state = (...[on, verdict]: [boolean, Parameters<typeof judgeJournal>[2]]) =>
    judgeJournal(on, { unjournaled_at: "2026-01-01T00:00:00Z" }, verdict).state

  it("accepts a journal that is off or complete, and warns of a gap, another worker and a silent store", () => {
    assert.deepStrictEqual([state(false, null), state(true, "complete")], ["ok", "ok"])
    for (const verdict of ["missing_records", "worker_without_journal", null] as const) {
      assert.strictEqual(state(true, verdict), "warning")
    }
  })
})
