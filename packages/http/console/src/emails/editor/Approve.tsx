// Approves the current version: the checklist, and what the service found.
import { Alert, Button, Group, List, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { problemOf } from "../../api/problems.ts"
import { WarningIcon } from "../../Icons.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Kind, Written } from "../written.ts"
import { paramsOf } from "./calls.ts"
import { Missing } from "./Missing.tsx"

interface Misspelt {
  readonly token: string
  readonly nearest: string
}

const isMisspelt = (value: unknown): value is Misspelt =>
  typeof value === "object" && value !== null && "token" in value && "nearest" in value

/** The tokens that a refusal names. */
const misspeltIn = (error: unknown): ReadonlyArray<Misspelt> => {
  const { body } = (error ?? {}) as { readonly body?: Readonly<Record<string, unknown>> }
  const named = body?.["unknown_tokens"]
  return Array.isArray(named) ? named.filter(isMisspelt) : []
}

interface Props {
  readonly kind: Kind
  readonly written: Written
  readonly onClose: () => void
}

const Unknown = ({ error }: { readonly error: unknown }) => {
  const words = useWords("emails")
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={words.unknownTokens} role="alert">
      <List size="sm">
        {misspeltIn(error).map(({ nearest, token }) => (
          <List.Item key={token}>{words.probably(`{{${token}}}`, `{{${nearest}}}`)}</List.Item>
        ))}
      </List>
      <Text size="sm" mt={6}>
        {words.unknownTokensText}
      </Text>
    </Alert>
  )
}

export const Approve = ({ kind, onClose, written }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  // The version that the person saw when the dialog opened.
  const [version] = useState(written.version)
  const params = paramsOf(written.id)
  const options = { done: () => words.approved(version), onDone: onClose }
  const email = useMutationOf("emails", "approve", options)
  const emailTemplate = useMutationOf("emailTemplates", "approve", options)
  const tentTemplate = useMutationOf("tentTemplates", "approve", options)
  const approve = { emails: email, emailTemplates: emailTemplate, tentTemplates: tentTemplate }[kind]
  const { code } = problemOf(approve.error)
  const isUnknown = code === "unknown_token"
  const send = () => {
    const request = { params, payload: { version } }
    if (kind === "emails" && isUnknown) email.mutate({ ...request, query: { allow_unknown_tokens: "true" } })
    else approve.mutate(request)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.approveTitle(version)}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <Stack>
        <Text size="sm">{words.approveTexts[kind]}</Text>
        {kind === "emails" && <Missing written={written} error={approve.error} onClose={onClose} />}
        {isUnknown && <Unknown error={approve.error} />}
        {code === "approval_version_stale" && (
          <Alert color="yellow" icon={<WarningIcon />} title={words.stale} role="alert">
            {words.staleText}
          </Alert>
        )}
        {approve.isError && !isUnknown && code !== "email_not_ready" && code !== "approval_version_stale" && (
          <Problem error={approve.error} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button color={isUnknown ? "yellow" : "pine"} loading={approve.isPending} onClick={send}>
            {isUnknown ? words.approveAnyway : words.approveAction(version)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
