// The dialogs of an endpoint. They are loaded with the first one.
import { Radio, Stack, Text } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { useWords } from "../../words/Words.tsx"
import { hostOf } from "../endpoint.ts"
import { EditEndpoint } from "../form/EditEndpoint.tsx"
import type { Dialog } from "./Endpoint.tsx"
import { ReplayMany } from "./ReplayMany.tsx"
import { RotateSecret } from "./RotateSecret.tsx"
import { SendTest } from "./SendTest.tsx"

export interface DialogProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

const Enable = ({ endpoint, onClose }: DialogProps) => {
  const words = useWords("webhooks")
  const [from, setFrom] = useState<"now" | "stopped">("now")
  const enable = useMutationOf("webhookEndpoints", "enable", { done: () => words.enabled, onDone: onClose })
  return (
    <Confirm
      title={words.enableTitle}
      text={
        <Radio.Group
          label={words.enableText}
          value={from}
          onChange={(next) => setFrom(next === "stopped" ? "stopped" : "now")}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="now" label={words.from.now} description={words.fromTexts.now} />
            <Radio value="stopped" label={words.from.stopped} description={words.fromTexts.stopped} />
          </Stack>
        </Radio.Group>
      }
      action={words.enable}
      isDangerous={false}
      isPending={enable.isPending}
      error={enable.error}
      onConfirm={() => enable.mutate({ params: { endpointId: endpoint.endpoint_id }, payload: { from } })}
      onClose={onClose}
    />
  )
}

const Disable = ({ endpoint, onClose }: DialogProps) => {
  const words = useWords("webhooks")
  const disable = useMutationOf("webhookEndpoints", "disable", { done: () => words.disabled, onDone: onClose })
  return (
    <Confirm
      title={words.disableTitle}
      text={words.disableText}
      action={words.disable}
      isDangerous={false}
      isPending={disable.isPending}
      error={disable.error}
      onConfirm={() => disable.mutate({ params: { endpointId: endpoint.endpoint_id } })}
      onClose={onClose}
    />
  )
}

const Delete = ({ endpoint, onClose }: DialogProps) => {
  const words = useWords("webhooks")
  const navigate = useNavigate()
  const host = hostOf(endpoint)
  const remove = useMutationOf("webhookEndpoints", "remove", {
    done: () => words.deleted(host),
    onDone: () => navigate({ to: "/webhooks" }),
  })
  return (
    <Confirm
      title={words.deleteTitle}
      text={
        <>
          <Text size="sm">{words.deleteText}</Text>
          {endpoint.stats.pending_count > 0 && (
            <Text size="sm" mt="xs" fw={550}>
              {words.deleteWaiting(endpoint.stats.pending_count)}
            </Text>
          )}
        </>
      }
      action={words.delete}
      typed={host}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { endpointId: endpoint.endpoint_id } })}
      onClose={onClose}
    />
  )
}

export const Dialogs = ({ open, ...props }: DialogProps & { readonly open: Dialog }) => {
  switch (open) {
    case "edit":
      return <EditEndpoint {...props} />
    case "test":
      return <SendTest {...props} />
    case "rotate":
      return <RotateSecret {...props} />
    case "replay":
      return <ReplayMany {...props} />
    case "enable":
      return <Enable {...props} />
    case "disable":
      return <Disable {...props} />
    case "delete":
      return <Delete {...props} />
  }
}
