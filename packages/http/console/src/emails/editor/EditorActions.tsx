// The actions above the editor: ask the AI, send a test, approve, versions, duplicate, delete.
import { ActionIcon, Button, Menu } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { AuditIcon, CheckIcon, CopyIcon, DotsIcon, SparkIcon, TrashIcon, UndoIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { paramsOf } from "./calls.ts"
import type { Dialog } from "./OpenEditor.tsx"
import type { Kind, Written } from "../written.ts"

const NewTent = lazy(async () => ({ default: (await import("../../tents/making/NewTent.tsx")).NewTent }))
const NewEmail = lazy(async () => ({ default: (await import("../NewEmail.tsx")).NewEmail }))

/** The screen of a document. */
export const pathOf = (kind: Kind, id: string): string =>
  ({
    emails: `/emails/${id}`,
    emailTemplates: `/templates/emails/${id}`,
    tentTemplates: `/templates/tents/${id}`,
  })[kind]

const listPaths: Readonly<Record<Kind, string>> = {
  emails: "/emails",
  emailTemplates: "/templates",
  tentTemplates: "/templates",
}

interface Props {
  readonly kind: Kind
  readonly written: Written
  readonly isChanged: boolean
  readonly onShow: (dialog: Dialog) => void
}

const MoreMenu = ({ kind, onShow, written }: Omit<Props, "isChanged">) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const { may } = useSession()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const params = paramsOf(written.id)
  const { name } = written.fields
  const duplicate = useMutationOf(kind, "duplicate", {
    done: () => words.duplicated,
    onDone: (copy) => navigate({ to: pathOf(kind, "email_id" in copy ? copy.email_id : copy.template_id) }),
  })
  const unapprove = useMutationOf(kind, "unapprove", { done: () => words.unapproved })
  const remove = useMutationOf(kind, "remove", {
    done: () => words.deleted(name),
    onDone: () => navigate({ to: listPaths[kind] }),
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={shell.more}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<AuditIcon size={16} />} onClick={() => onShow("versions")}>
            {words.versions}
          </Menu.Item>
          {may("editor") && (
            <Menu.Item leftSection={<CopyIcon size={16} />} onClick={() => duplicate.mutate({ params })}>
              {words.duplicate}
            </Menu.Item>
          )}
          {may("sender") && written.approvedVersion !== null && (
            <Menu.Item leftSection={<UndoIcon size={16} />} onClick={() => unapprove.mutate({ params })}>
              {words.unapprove}
            </Menu.Item>
          )}
          {may("editor") && (
            <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => setDeleting(true)}>
              {words.delete}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {(duplicate.isError || unapprove.isError) && <Problem error={duplicate.error ?? unapprove.error} />}
      {isDeleting && (
        <Confirm
          title={words.deleteTitle(name)}
          text={words.deleteTexts[kind]}
          action={words.deleteAction}
          typed={name}
          isPending={remove.isPending}
          error={remove.error}
          onClose={() => setDeleting(false)}
          onConfirm={() => remove.mutate({ params })}
        />
      )}
    </>
  )
}

const UseTemplate = ({ kind, written }: Pick<Props, "kind" | "written">) => {
  const words = useWords("emails")
  const [isOpen, setOpen] = useState(false)
  const Form = kind === "tentTemplates" ? NewTent : NewEmail
  return (
    <>
      <Button variant="default" disabled={written.approvedVersion === null} onClick={() => setOpen(true)}>
        {words.use}
      </Button>
      <Suspense fallback={null}>
        {isOpen && <Form template={{ id: written.id, name: written.fields.name }} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

export const EditorActions = ({ isChanged, kind, onShow, written }: Props) => {
  const words = useWords("emails")
  const { may } = useSession()
  const isApproved = written.state === "approved" && !isChanged
  return (
    <>
      <CurlButton
        call={
          kind === "emails"
            ? ["emails", "find", { params: { emailId: written.id } }]
            : [kind, "find", { params: { templateId: written.id } }]
        }
      />
      {may("editor") && (
        <Button
          variant="default"
          leftSection={<SparkIcon size={16} />}
          disabled={written.isGenerating}
          onClick={() => onShow("ai")}
        >
          {words.askAi}
        </Button>
      )}
      {kind !== "emails" && may("editor") && <UseTemplate kind={kind} written={written} />}
      {kind === "emails" && may("sender") && (
        <Button variant="default" onClick={() => onShow("test")}>
          {words.test}
        </Button>
      )}
      {may("sender") && (
        <Button
          variant="default"
          leftSection={<CheckIcon size={16} />}
          disabled={isApproved}
          onClick={() => onShow("approve")}
        >
          {isApproved ? words.approvedVersion(written.version) : words.approve}
        </Button>
      )}
      <MoreMenu kind={kind} written={written} onShow={onShow} />
    </>
  )
}
