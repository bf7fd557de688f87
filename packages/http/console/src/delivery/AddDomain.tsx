// The form of a new domain, for mail or for pages.
import { Stack, TextInput } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAdminMutationOf } from "../api/mutations.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWorkspaceParams } from "../settings/useSettings.ts"
import { useWords } from "../words/Words.tsx"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

interface Props {
  readonly onClose: () => void
}

interface FormProps extends Props {
  readonly group: "domains" | "pageDomains"
  readonly title: string
  readonly text: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onAdd: (domain: string) => void
}

const DomainForm = ({ error, group, isPending, onAdd, onClose, text, title }: FormProps) => {
  const words = useWords("delivery")
  const shell = useWords("shell")
  const params = useWorkspaceParams()
  const [entered, setEntered] = useState("")
  const domain = entered.trim()
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": shell.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onAdd(domain)
        }}
      >
        <Stack>
          <TextInput
            label={words.domain}
            description={`${words.domainText} ${text}`}
            required
            maxLength={253}
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            value={entered}
            onChange={({ currentTarget }) => setEntered(currentTarget.value)}
          />
          {error !== null && <Problem error={error} />}
          <FormFooter
            beside={<CurlButton call={[`admin.${group}`, "add", { params, payload: { domain } }]} />}
            action={words.add}
            isPending={isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}

export const AddSendingDomain = ({ onClose }: Props) => {
  const words = useWords("delivery")
  const params = useWorkspaceParams()
  const navigate = useNavigate()
  const add = useAdminMutationOf("domains", "add", {
    onDone: ({ domain_id }) => navigate({ to: "/domains/$domainId", params: { domainId: domain_id } }),
  })
  return (
    <DomainForm
      group="domains"
      title={words.addSending}
      text={words.addSendingText}
      isPending={add.isPending}
      error={add.error}
      onAdd={(domain) => add.mutate({ params, payload: { domain } })}
      onClose={onClose}
    />
  )
}

export const AddPageDomain = ({ onClose }: Props) => {
  const words = useWords("delivery")
  const params = useWorkspaceParams()
  const add = useAdminMutationOf("pageDomains", "add", {
    done: ({ domain }) => words.addedPages(domain),
    onDone: onClose,
  })
  return (
    <DomainForm
      group="pageDomains"
      title={words.addPages}
      text={words.pagesText}
      isPending={add.isPending}
      error={add.error}
      onAdd={(domain) => add.mutate({ params, payload: { domain } })}
      onClose={onClose}
    />
  )
}
