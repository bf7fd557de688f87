// The members of a flow: all contacts that entered it, by status.
import { Button, Group, NativeSelect, SegmentedControl } from "@mantine/core"
import type { Flow, FlowMembership } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { usePages } from "../../api/rows.ts"
import { inSelect } from "../../formats.ts"
import { PlusIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { SearchField } from "../../parts/fields/SearchField.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useKeys } from "../../shell/keys.ts"
import { useWords, type Words } from "../../words/Words.tsx"
import { memberTones } from "../flow.ts"
import { isMemberStatus, member_filters, type MemberSearch } from "../search.ts"
import { memberName } from "./member.ts"

const AddMember = lazy(async () => ({ default: (await import("./AddMember.tsx")).AddMember }))

const columnsOf = (
  words: Words["flows"],
  stepName: (id: string | null) => string,
): ReadonlyArray<Column<FlowMembership>> => [
  {
    key: "contact",
    label: words.contact,
    width: "minmax(14rem, 2fr)",
    cell: (member) => memberName(member, words.deletedContact),
  },
  {
    key: "status",
    label: words.status,
    width: "8rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={memberTones[status]} label={words.memberStates[status]} />,
  },
  {
    key: "step",
    label: words.step,
    width: "minmax(9rem, 1fr)",
    isOnPhone: true,
    cell: ({ current_step_id }) => stepName(current_step_id),
  },
  {
    key: "entered",
    label: words.entered,
    width: "9rem",
    sort: "entered_at",
    cell: ({ entered_at }) => <Time at={entered_at} as="relative" />,
  },
  {
    key: "until",
    label: words.untilOrEnd,
    width: "9rem",
    cell: ({ completed_at, dropped_at, waiting_until }) => {
      const at = waiting_until ?? completed_at ?? dropped_at
      return at === null ? <span className="nothing">–</span> : <Time at={at} as="relative" />
    },
  },
]

const Filters = ({ flow }: { readonly flow: Flow | undefined }) => {
  const words = useWords("flows")
  const isPhone = useIsPhone()
  const { search = "", status } = useSearch({ from: "/flows/$flowId/members" })
  const navigate = useNavigate({ from: "/flows/$flowId/members" })
  const go = (next: MemberSearch) => void navigate({ search: next, replace: true })
  const counts = flow?.details
  const data = [
    { value: "all", label: words.all },
    ...member_filters.map((each) => {
      const count = counts?.[`${each}_count`] ?? 0
      return {
        value: each,
        label: count === 0 ? words.memberStates[each] : words.counted(words.memberStates[each], count),
      }
    }),
  ]
  const choose = (next: string) =>
    go({ ...(isMemberStatus(next) ? { status: next } : {}), ...(search === "" ? {} : { search }) })
  return (
    <Group mb="sm" gap="xs">
      <SearchField
        label={words.searchMembers}
        value={search}
        onChange={(text) =>
          go({ ...(status === undefined ? {} : { status }), ...(text === "" ? {} : { search: text }) })
        }
      />
      {isPhone ? (
        <NativeSelect
          aria-label={words.status}
          value={status ?? "all"}
          data={inSelect(data)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      ) : (
        <SegmentedControl size="xs" aria-label={words.status} value={status ?? "all"} data={data} onChange={choose} />
      )}
    </Group>
  )
}

export const Members = () => {
  const words = useWords("flows")
  const { may } = useSession()
  const { flowId } = useParams({ from: "/flows/$flowId/members" })
  const asked = useSearch({ from: "/flows/$flowId/members" })
  const [isAdding, setAdding] = useState(false)
  const params = { flowId }
  const flow = useQuery(queryOf("flows", "find", { params })).data
  const rows = usePages("flowMembers", "list", { params, query: asked })
  const isOpen = flow?.status === "active" && flow.manual_membership_enabled
  const mayAdd = may("sender") && isOpen
  const add = () => setAdding(true)
  useKeys(mayAdd ? { n: add } : {})
  const stepName = (id: string | null): string => {
    const step = flow?.steps.find(({ step_id }) => step_id === id)
    return step === undefined ? (id ?? "–") : (step.label ?? words.stepTypes[step.type])
  }
  return (
    <>
      <PageHeader
        above={<BackLink to={`/flows/${flowId}`} label={flow?.name ?? words.flow} />}
        title={words.membersTitle}
        beside={rows.isPending ? null : <span className="count">{words.number(rows.total)}</span>}
        actions={
          <>
            <CurlButton call={["flowMembers", "list", { params, query: asked }]} />
            {mayAdd && (
              <Button leftSection={<PlusIcon size={16} />} onClick={add}>
                {words.addMember}
              </Button>
            )}
          </>
        }
        {...(flow !== undefined && !isOpen ? { text: words.noAdding } : {})}
      />
      <Filters flow={flow} />
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      <DataTable
        label={words.membersTitle}
        rows={rows}
        columns={columnsOf(words, stepName)}
        keyOf={({ membership_id }) => membership_id}
        nameOf={(member) => memberName(member, words.deletedContact)}
        pathOf={({ membership_id }) => `/flows/${flowId}/members/${membership_id}`}
        none={Object.keys(asked).length === 0 ? words.noMembers : words.noSuchMembers}
      />
      <Suspense fallback={null}>
        {isAdding && flow !== undefined && <AddMember flow={flow} onClose={() => setAdding(false)} />}
      </Suspense>
    </>
  )
}
