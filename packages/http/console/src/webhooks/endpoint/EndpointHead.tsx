// The head of an endpoint: its URL and state, and what can be done with it.
import { ActionIcon, Button } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { lazy, type Ref } from "react"
import { BoltIcon, DotsIcon, EditIcon } from "../../Icons.tsx"
import { BackLink } from "../../parts/BackLink.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { OnDemand } from "../../parts/OnDemand.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useSession } from "../../session.tsx"
import { useKeys } from "../../shell/keys.ts"
import { useWords } from "../../words/Words.tsx"
import { nameOf, stateOf, stateTones } from "../endpoint.ts"
import type { Dialog } from "./Endpoint.tsx"

const EndpointMenu = lazy(async () => ({ default: (await import("./EndpointMenu.tsx")).EndpointMenu }))

interface TargetProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const MoreTarget = (props: TargetProps) => {
  const { more } = useWords("shell")
  return (
    <ActionIcon {...props} variant="default" size="lg" aria-label={more} aria-haspopup="menu">
      <DotsIcon />
    </ActionIcon>
  )
}

interface Props {
  readonly endpoint: WebhookEndpoint
  readonly onOpen: (open: Dialog) => void
}

export const EndpointHead = ({ endpoint, onOpen }: Props) => {
  const words = useWords("webhooks")
  const { may } = useSession()
  const state = stateOf(endpoint)
  useKeys(may("owner") ? { e: () => onOpen("edit") } : {})
  return (
    <PageHeader
      above={<BackLink to="/webhooks" label={words.title} />}
      title={nameOf(endpoint)}
      beside={<StatusBadge tone={stateTones[state]} label={words.states[state]} />}
      {...(endpoint.description === null ? {} : { text: endpoint.description })}
      actions={
        <>
          <CurlButton call={["webhookEndpoints", "find", { params: { endpointId: endpoint.endpoint_id } }]} />
          {may("owner") && (
            <>
              <Button variant="default" leftSection={<EditIcon size={16} />} onClick={() => onOpen("edit")}>
                {words.edit}
              </Button>
              <Button leftSection={<BoltIcon size={16} />} onClick={() => onOpen("test")}>
                {words.testStart}
              </Button>
              <OnDemand button={(onClick) => <MoreTarget onClick={onClick} />}>
                <EndpointMenu endpoint={endpoint} onOpen={onOpen} />
              </OnDemand>
            </>
          )}
        </>
      }
    />
  )
}
