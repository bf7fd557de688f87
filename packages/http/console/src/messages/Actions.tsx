// What a sender can do with a message: cancel it before it goes out, or send one again that failed.
import { Button } from "@mantine/core"
import type { EmailMessage } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { RefreshIcon } from "../Icons.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { useWords } from "../words/Words.tsx"
import { canCancel, canRetry } from "./message.ts"

interface Props {
  readonly message: EmailMessage
  readonly onClose: () => void
}

const Cancel = ({ message, onClose }: Props) => {
  const words = useWords("messages")
  const { back } = useWords("shell")
  const cancel = useMutationOf("emailMessages", "cancel", { done: () => words.cancelled, onDone: onClose })
  return (
    <Confirm
      title={words.cancelTitle}
      text={words.cancelText}
      action={words.cancelAction}
      dismiss={back}
      isPending={cancel.isPending}
      error={cancel.error}
      onClose={onClose}
      onConfirm={() => cancel.mutate({ params: { messageId: message.message_id } })}
    />
  )
}

const Retry = ({ message, onClose }: Props) => {
  const words = useWords("messages")
  const retry = useMutationOf("emailMessages", "retry", { done: () => words.retried, onDone: onClose })
  const isUnconfirmed = message.reason === "unconfirmed"
  return (
    <Confirm
      title={words.retryTitle}
      text={isUnconfirmed ? words.retryUnconfirmed : words.retryText}
      action={words.retryAction}
      isDangerous={isUnconfirmed}
      isPending={retry.isPending}
      error={retry.error}
      onClose={onClose}
      onConfirm={() =>
        retry.mutate({
          params: { messageId: message.message_id },
          payload: { include_unconfirmed: isUnconfirmed },
        })
      }
    />
  )
}

export const Actions = ({ message }: { readonly message: EmailMessage }) => {
  const words = useWords("messages")
  const [asked, setAsked] = useState<"cancel" | "retry" | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      {canCancel(message) && (
        <Button variant="default" onClick={() => setAsked("cancel")}>
          {words.cancel}
        </Button>
      )}
      {canRetry(message) && (
        <Button leftSection={<RefreshIcon size={16} />} onClick={() => setAsked("retry")}>
          {words.retry}
        </Button>
      )}
      {asked === "cancel" && <Cancel message={message} onClose={close} />}
      {asked === "retry" && <Retry message={message} onClose={close} />}
    </>
  )
}
