// The API keys of the workspace: what each may do, when it was used, and its end.
import { Button } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { useAdminCursor } from "../../api/rows.ts"
import { useNow } from "../../format.ts"
import { CrossIcon, KeyIcon, PlusIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { RowAction } from "../../parts/table/RowAction.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"
import { Section } from "../Section.tsx"
import { useWorkspaceParams } from "../useSettings.ts"

const NewKey = lazy(async () => ({ default: (await import("./NewKey.tsx")).NewKey }))

type Key = Admin.ApiKey

const statusOf = ({ expires_at, revoked_at }: Key, now_ms: number): "live" | "revoked" | "expired" => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && Date.parse(expires_at) <= now_ms ? "expired" : "live"
}

const useColumns = (): ReadonlyArray<Column<Key>> => {
  const words = useWords("settings").keys
  const { roles } = useWords("shell")
  const now_ms = useNow()
  return [
    { key: "name", label: words.name, width: "minmax(7rem, 2fr)", cell: ({ name }) => name },
    { key: "prefix", label: words.prefix, width: "8.5rem", cell: ({ prefix }) => <code>{prefix}…</code> },
    { key: "role", label: words.role, width: "5.5rem", isOnPhone: true, cell: ({ role }) => roles[role] },
    {
      key: "used",
      label: words.used,
      width: "7.5rem",
      isOnPhone: true,
      isLabelled: true,
      cell: ({ last_used_at }) => (last_used_at === null ? words.unused : <Time at={last_used_at} as="relative" />),
    },
    {
      key: "expires",
      label: words.expires,
      width: "6.5rem",
      cell: ({ expires_at }) => (expires_at === null ? words.never : <Time at={expires_at} as="date" />),
    },
    {
      key: "status",
      label: words.status,
      width: "6rem",
      isOnPhone: true,
      cell: (key) => {
        const status = statusOf(key, now_ms)
        return <StatusBadge tone={status === "live" ? "good" : "quiet"} label={words.statuses[status]} />
      },
    },
  ]
}

const RevokeKey = ({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) => {
  const words = useWords("settings").keys
  const params = { ...useWorkspaceParams(), key_id: apiKey.key_id }
  const revoke = useAdminMutationOf("keys", "revoke", { done: () => words.revoked(apiKey.name), onDone: onClose })
  return (
    <Confirm
      title={words.revokeTitle(apiKey.name)}
      text={words.revokeText}
      action={words.revokeAction}
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ params })}
      onClose={onClose}
    />
  )
}

export const KeyList = () => {
  const { keys: words, sections } = useWords("settings")
  const params = useWorkspaceParams()
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<Key | null>(null)
  const rows = useAdminCursor("keys", "list", { params })
  const columns = useColumns()
  const isEmpty = !rows.isPending && rows.error === null && rows.total === 0
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Section
      name="keys"
      text={words.text}
      isWide
      actions={
        <>
          <CurlButton call={["admin.keys", "list", { params }]} />
          {create}
        </>
      }
    >
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      {isEmpty ? (
        <Empty icon={<KeyIcon size={22} />} title={words.empty} text={words.emptyText}>
          {create}
        </Empty>
      ) : (
        <DataTable
          isTall
          label={sections.keys}
          rows={rows}
          columns={columns}
          keyOf={({ key_id }) => key_id}
          nameOf={({ name }) => name}
          actions={(key) =>
            key.revoked_at === null && (
              <RowAction
                label={words.revoke}
                of={key.name}
                icon={<CrossIcon size={16} />}
                onClick={() => setRevoked(key)}
              />
            )
          }
        />
      )}
      {revoked !== null && <RevokeKey apiKey={revoked} onClose={() => setRevoked(null)} />}
      {isCreating && (
        <Suspense fallback={null}>
          <NewKey onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Section>
  )
}
