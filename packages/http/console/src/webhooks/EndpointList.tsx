// The webhook endpoints of the workspace: where each sends, its state, what it takes, and what waits.
import { Button } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCursor } from "../api/rows.ts"
import { useFormat } from "../format.ts"
import { PlusIcon, TableIcon, WebhooksIcon } from "../Icons.tsx"
import { CurlButton } from "../parts/Copy.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import type { Column } from "../parts/table/DataTable.tsx"
import { Listing } from "../parts/table/Listing.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { nameOf, stateOf, stateTones } from "./endpoint.ts"
import { useSettingTexts } from "./useSettingTexts.ts"

const NewEndpoint = lazy(async () => ({ default: (await import("./form/NewEndpoint.tsx")).NewEndpoint }))

const Waiting = ({ stats: { oldest_pending_at, pending_count } }: WebhookEndpoint) => {
  const { number } = useFormat()
  if (pending_count === 0) return <span className="nothing">{number(0)}</span>
  return (
    <>
      {number(pending_count)}
      {oldest_pending_at !== null && (
        <span className="nothing">
          {" · "}
          <Time at={oldest_pending_at} as="relative" />
        </span>
      )}
    </>
  )
}

const useColumns = (): ReadonlyArray<Column<WebhookEndpoint>> => {
  const words = useWords("webhooks")
  const { number } = useFormat()
  const texts = useSettingTexts()
  return [
    {
      key: "url",
      label: words.url,
      width: "minmax(11rem, 1.8fr)",
      cell: (endpoint) => (
        <span title={endpoint.description === null ? endpoint.url : `${endpoint.url} · ${endpoint.description}`}>
          {nameOf(endpoint)}
        </span>
      ),
    },
    {
      key: "state",
      label: words.state,
      width: "minmax(10.5rem, 1.1fr)",
      isOnPhone: true,
      cell: (endpoint) => {
        const state = stateOf(endpoint)
        return <StatusBadge tone={stateTones[state]} label={words.states[state]} />
      },
    },
    {
      key: "types",
      label: words.events,
      width: "minmax(7.5rem, 1.2fr)",
      cell: ({ event_types }) => <span title={event_types.join(", ")}>{texts.types(event_types)}</span>,
    },
    {
      key: "waits",
      label: words.waiting,
      width: "minmax(9rem, 1.3fr)",
      isOnPhone: true,
      isLabelled: true,
      cell: (endpoint) => <Waiting {...endpoint} />,
    },
    {
      key: "delivered",
      label: words.delivered24h,
      width: "7.5rem",
      isNumber: true,
      cell: ({ stats }) => number(stats.delivered_24h),
    },
    {
      key: "failed",
      label: words.failed24h,
      width: "8rem",
      isNumber: true,
      cell: ({ stats: { failed_24h } }) =>
        failed_24h === 0 ? <span className="nothing">{number(0)}</span> : <b>{number(failed_24h)}</b>,
    },
  ]
}

const example = { url: "https://crm.example.org/hooks", event_types: ["contact.*", "email.bounced"] } as const

const CatalogueLink = () => {
  const words = useWords("webhooks")
  return (
    <Button
      renderRoot={(props) => <Link {...props} to="/webhooks/events" />}
      variant="default"
      leftSection={<TableIcon size={16} />}
    >
      {words.catalogue}
    </Button>
  )
}

export const EndpointList = () => {
  const words = useWords("webhooks")
  const { may } = useSession()
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  return (
    <>
      <Listing
        label={words.title}
        text={words.text}
        rows={useCursor("webhookEndpoints", "list", {})}
        columns={useColumns()}
        keyOf={({ endpoint_id }) => endpoint_id}
        nameOf={nameOf}
        pathOf={({ endpoint_id }) => `/webhooks/${endpoint_id}`}
        isFiltered={false}
        empty={{ icon: <WebhooksIcon size={22} />, title: words.empty, text: words.emptyText }}
        additions={
          <>
            <CatalogueLink />
            {may("owner") && (
              <Button leftSection={<PlusIcon size={16} />} onClick={create}>
                {words.create}
              </Button>
            )}
          </>
        }
        onNew={may("owner") ? create : null}
        curl={<CurlButton call={["webhookEndpoints", "list"]} />}
        emptyCurl={
          <CurlButton
            call={[
              "webhookEndpoints",
              "create",
              { payload: { url: example.url, event_types: [...example.event_types] } },
            ]}
          />
        }
        filters={null}
      />
      <Suspense fallback={null}>{isCreating && <NewEndpoint onClose={() => setCreating(false)} />}</Suspense>
    </>
  )
}
