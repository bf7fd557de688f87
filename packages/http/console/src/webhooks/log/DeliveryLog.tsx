// The log of an endpoint: its deliveries by status and event type, the newest first.
import { ActionIcon, Badge, Group, NativeSelect, SegmentedControl } from "@mantine/core"
import type { WebhookDelivery, WebhookEndpoint } from "@tentpole/client"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type ReactNode, useEffect } from "react"
import type { Api, RequestOf } from "../../api/queries.ts"
import { type Rows, useCursor } from "../../api/rows.ts"
import { inSelect } from "../../formats.ts"
import { RefreshIcon, WebhooksIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { type Column, DataTable } from "../../parts/table/DataTable.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import { deliveryTones } from "../endpoint.ts"
import { batch_type } from "../patterns.ts"
import { delivery_statuses, type EndpointSearch, isDeliveryStatus } from "../search.ts"
import { TypeSelect } from "../TypeSelect.tsx"

type Query = NonNullable<NonNullable<RequestOf<Api["webhookDeliveries"]["list"]>[0]>["query"]>

const columnsOf = (words: Words["webhooks"]): ReadonlyArray<Column<WebhookDelivery>> => [
  {
    key: "type",
    label: words.event,
    width: "minmax(11rem, 2fr)",
    cell: ({ event_ids, event_type, test }) =>
      event_type === batch_type ? (
        words.batchOfEvents(event_ids.length)
      ) : (
        <>
          <code>{event_type}</code>
          {test && (
            <Badge size="sm" color="gray" ml={8}>
              {words.isTest}
            </Badge>
          )}
        </>
      ),
  },
  {
    key: "status",
    label: words.status,
    width: "minmax(9rem, 1.2fr)",
    isOnPhone: true,
    cell: ({ reason, status }) => (
      <StatusBadge
        tone={deliveryTones[status]}
        label={
          reason === null ? words.statuses[status] : words.statusBecause(words.statuses[status], words.reasons[reason])
        }
      />
    ),
  },
  {
    key: "attempts",
    label: words.attempts,
    width: "6rem",
    isNumber: true,
    cell: ({ attempt_count }) => (attempt_count === 0 ? <span className="nothing">–</span> : attempt_count),
  },
  {
    key: "created",
    label: words.time,
    width: "10.5rem",
    isOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    key: "next",
    label: words.nextOrEnd,
    width: "10.5rem",
    cell: ({ delivered_at, next_attempt_at }) => {
      const at = next_attempt_at ?? delivered_at
      return at === null ? <span className="nothing">–</span> : <Time at={at} />
    },
  },
]

const Filters = ({ actions }: { readonly actions: ReactNode }) => {
  const words = useWords("webhooks")
  const isPhone = useIsPhone()
  const { status, type = "" } = useSearch({ from: "/webhooks/$endpointId" })
  const navigate = useNavigate({ from: "/webhooks/$endpointId" })
  const go = (next: EndpointSearch) => void navigate({ search: next, replace: true, resetScroll: false })
  const choice = {
    "aria-label": words.status,
    value: status ?? "all",
    data: [
      { value: "all", label: words.all },
      ...delivery_statuses.map((each) => ({ value: each, label: words.statuses[each] })),
    ],
  }
  const ofType = type === "" ? {} : { type }
  const choose = (next: string) => go({ ...ofType, ...(isDeliveryStatus(next) ? { status: next } : {}) })
  return (
    <Group mb="sm" gap="xs" role="group" aria-label={words.logFilters} wrap={isPhone ? "nowrap" : "wrap"}>
      {isPhone ? (
        <NativeSelect
          {...choice}
          data={inSelect(choice.data)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      ) : (
        <SegmentedControl size="xs" {...choice} onChange={choose} />
      )}
      <TypeSelect
        isFilter
        label={words.eventType}
        value={type}
        onChange={(next) => go({ ...(status === undefined ? {} : { status }), ...(next === "" ? {} : { type: next }) })}
      />
      <Group gap={0} wrap="nowrap" className="end">
        {actions}
      </Group>
    </Group>
  )
}

/** The first page, and the row of the next one. A person who reads further down is not disturbed. */
const rows_fresh_max = 101

/** Reads the rows again when the figures of the endpoint change: something was sent, or waits. */
const useFreshRows = ({ stats }: WebhookEndpoint, { refetch, total }: Rows<WebhookDelivery>) => {
  const { delivered_24h, failed_24h, last_failure_at, pending_count } = stats
  const seen = [pending_count, delivered_24h, failed_24h, last_failure_at].join(" ")
  const isShort = total <= rows_fresh_max
  useEffect(() => {
    if (isShort) void refetch()
  }, [seen, refetch, isShort])
}

export const DeliveryLog = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const words = useWords("webhooks")
  const { status, type } = useSearch({ from: "/webhooks/$endpointId" })
  const params = { endpointId: endpoint.endpoint_id }
  const query = {
    ...(status === undefined ? {} : { status }),
    // The catalogue names the types. The service refuses one of the address that it does not know.
    ...(type === undefined ? {} : { event_type: type as NonNullable<Query["event_type"]> }),
  }
  const rows = useCursor("webhookDeliveries", "list", { params, query })
  useFreshRows(endpoint, rows)
  const isFiltered = status !== undefined || type !== undefined
  const curl = <CurlButton call={["webhookDeliveries", "list", { params, query }]} />
  if (!rows.isPending && rows.error === null && rows.total === 0 && !isFiltered) {
    return (
      <Empty icon={<WebhooksIcon size={22} />} title={words.noDeliveries} text={words.noDeliveriesText}>
        {curl}
      </Empty>
    )
  }
  return (
    <>
      <Filters
        actions={
          <>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={words.lookAgain}
              title={words.lookAgain}
              onClick={() => void rows.refetch()}
            >
              <RefreshIcon size={18} />
            </ActionIcon>
            {curl}
          </>
        }
      />
      {rows.error !== null && <Problem error={rows.error} onRetry={rows.refetch} />}
      {(rows.error === null || rows.total > 0) && (
        <DataTable
          label={words.tabs.log}
          rows={rows}
          columns={columnsOf(words)}
          keyOf={({ delivery_id }) => delivery_id}
          nameOf={({ event_type }) => event_type}
          pathOf={({ delivery_id }) => `/webhooks/${endpoint.endpoint_id}/deliveries/${delivery_id}`}
          none={words.noSuchDeliveries}
        />
      )}
    </>
  )
}
