// The domains of the workspace for its pages.
import { Button, Group, Paper, Text } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { lazy, Suspense, useState } from "react"
import { useAdminMutationOf } from "../api/mutations.ts"
import { useAdminCursor } from "../api/rows.ts"
import { CrossIcon, PlusIcon } from "../Icons.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { Problem } from "../parts/Problem.tsx"
import { type Column, DataTable } from "../parts/table/DataTable.tsx"
import { RowAction } from "../parts/table/RowAction.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWorkspaceParams } from "../settings/useSettings.ts"
import { useWords, type Words } from "../words/Words.tsx"

const AddPageDomain = lazy(async () => ({ default: (await import("./AddDomain.tsx")).AddPageDomain }))

type PageDomain = Admin.PageDomain

const columnsOf = (words: Words["delivery"]): ReadonlyArray<Column<PageDomain>> => [
  { key: "domain", label: words.domain, width: "minmax(10rem, 2fr)", cell: ({ domain }) => domain },
  {
    key: "since",
    label: words.since,
    width: "8rem",
    isOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} as="date" />,
  },
]

const RemovePageDomain = ({
  domain: { domain, page_domain_id },
  onClose,
}: {
  readonly domain: PageDomain
  readonly onClose: () => void
}) => {
  const words = useWords("delivery")
  const params = { ...useWorkspaceParams(), page_domain_id }
  const remove = useAdminMutationOf("pageDomains", "remove", { done: () => words.removed(domain), onDone: onClose })
  return (
    <Confirm
      title={words.removeTitle(domain)}
      text={words.removePagesText}
      action={words.removeAction}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params })}
      onClose={onClose}
    />
  )
}

const OwnedPageDomains = () => {
  const words = useWords("delivery")
  const params = useWorkspaceParams()
  const rows = useAdminCursor("pageDomains", "list", { params })
  const [removed, setRemoved] = useState<PageDomain | null>(null)
  if (rows.error !== null) return <Problem error={rows.error} onRetry={rows.refetch} />
  if (!rows.isPending && rows.total === 0) return <Nothing />
  return (
    <>
      <DataTable
        label={words.pages}
        rows={rows}
        columns={columnsOf(words)}
        keyOf={({ page_domain_id }) => page_domain_id}
        nameOf={({ domain }) => domain}
        actions={(domain) => (
          <RowAction
            label={words.remove}
            of={domain.domain}
            icon={<CrossIcon size={16} />}
            onClick={() => setRemoved(domain)}
          />
        )}
      />
      {removed !== null && <RemovePageDomain domain={removed} onClose={() => setRemoved(null)} />}
    </>
  )
}

const Nothing = () => {
  const words = useWords("delivery")
  return (
    <Paper p="md">
      <Text size="sm" c="dimmed">
        {words.noPages}
      </Text>
    </Paper>
  )
}

/** What members without the role of an owner know. */
const KnownPageDomain = () => {
  const { workspace } = useSession()
  if (workspace?.page_domain === undefined || workspace.page_domain === null) return <Nothing />
  return (
    <Paper p="md">
      <Text size="sm">{workspace.page_domain}</Text>
    </Paper>
  )
}

export const PageDomains = () => {
  const words = useWords("delivery")
  const { may } = useSession()
  const [isAdding, setAdding] = useState(false)
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600} size="sm" m={0}>
          {words.pages}
        </Text>
        {may("owner") && (
          <Button variant="default" leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
            {words.addPages}
          </Button>
        )}
      </Group>
      {may("owner") ? <OwnedPageDomains /> : <KnownPageDomain />}
      <Suspense fallback={null}>{isAdding && <AddPageDomain onClose={() => setAdding(false)} />}</Suspense>
    </section>
  )
}
