// One webhook endpoint: its state and figures, the log of its deliveries, and its settings.
import { Box, Skeleton, Tabs } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useChanges } from "../../api/changes.ts"
import { queryOf } from "../../api/queries.ts"
import { SettingsIcon, TableIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { DeliveryLog } from "../log/DeliveryLog.tsx"
import { EndpointHead } from "./EndpointHead.tsx"
import { Figures } from "./Figures.tsx"
import { Notices } from "./Notices.tsx"

const Hours = lazy(async () => ({ default: (await import("./Later.tsx")).Hours }))
const Settings = lazy(async () => ({ default: (await import("./Later.tsx")).Settings }))
const Dialogs = lazy(async () => ({ default: (await import("./Dialogs.tsx")).Dialogs }))

export type Dialog = "edit" | "test" | "rotate" | "replay" | "enable" | "disable" | "delete"

interface PartsProps {
  readonly endpoint: WebhookEndpoint
  readonly onOpen: (open: Dialog) => void
}

const Parts = ({ endpoint, onOpen }: PartsProps) => {
  const words = useWords("webhooks")
  const { tab = "log" } = useSearch({ from: "/webhooks/$endpointId" })
  const navigate = useNavigate({ from: "/webhooks/$endpointId" })
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(next) =>
        void navigate({ search: next === "settings" ? { tab: next } : {}, replace: true, resetScroll: false })
      }
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="log" leftSection={<TableIcon size={16} />}>
          {words.tabs.log}
        </Tabs.Tab>
        <Tabs.Tab value="settings" leftSection={<SettingsIcon size={16} />}>
          {words.tabs.settings}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={tab}>
        {tab === "log" ? (
          <DeliveryLog endpoint={endpoint} />
        ) : (
          <Suspense fallback={<Skeleton className="late" h={360} radius="lg" />}>
            <Settings endpoint={endpoint} onRotate={() => onOpen("rotate")} />
          </Suspense>
        )}
      </Tabs.Panel>
    </Tabs>
  )
}

export const Endpoint = () => {
  const words = useWords("webhooks")
  const params = useParams({ from: "/webhooks/$endpointId" })
  const [open, setOpen] = useState<Dialog | null>(null)
  const found = useQuery(queryOf("webhookEndpoints", "find", { params }))
  useChanges([`webhook:${params.endpointId}`])
  if (found.isPending) return <Skeleton className="late" h={420} radius="lg" />
  if (found.data === undefined) {
    return (
      <>
        <PageHeader above={<BackLink to="/webhooks" label={words.title} />} title={words.endpoint} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const endpoint = found.data
  const { delivered_24h, failed_24h, hours } = endpoint.stats
  return (
    <>
      <EndpointHead endpoint={endpoint} onOpen={setOpen} />
      {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
      <Notices endpoint={endpoint} onEnable={() => setOpen("enable")} />
      <Figures stats={endpoint.stats} />
      {delivered_24h + failed_24h > 0 && (
        <Box mb="md">
          <Suspense fallback={<Skeleton className="late" h={208} radius="lg" />}>
            <Hours hours={hours} />
          </Suspense>
        </Box>
      )}
      <Parts endpoint={endpoint} onOpen={setOpen} />
      <Suspense fallback={null}>
        {open !== null && <Dialogs open={open} endpoint={endpoint} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}
