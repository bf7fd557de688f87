// The form of a new page: by a prompt, with brand, template and files, or with own HTML.
import { SegmentedControl, Stack, Text, Textarea, TextInput } from "@mantine/core"
import type { CreateTent } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { type Asked, noneAsked, payloadOf, PromptFields, useMissingValues } from "./PromptFields.tsx"
import { useUploads } from "./useUploads.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

const name_max = 200

interface Values {
  readonly name: string
  readonly way: "prompt" | "html"
  readonly html: string
}

interface WayProps {
  readonly value: Values["way"]
  readonly onChange: (way: Values["way"]) => void
}

const Way = ({ onChange, value }: WayProps) => {
  const words = useWords("tents")
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={words.way}
      value={value}
      data={[
        { value: "prompt", label: words.ways.prompt },
        { value: "html", label: words.ways.html },
      ]}
      onChange={(next) => onChange(next === "html" ? next : "prompt")}
    />
  )
}

interface FooterProps {
  readonly payload: CreateTent
  readonly isReady: boolean
  readonly isPending: boolean
  readonly action: string
  readonly onClose: () => void
}

const Footer = ({ action, isPending, isReady, onClose, payload }: FooterProps) => {
  return (
    <FormFooter
      beside={<CurlButton call={["tents", "create", { payload }]} />}
      action={action}
      isPending={isPending}
      isReady={isReady}
      onClose={onClose}
    />
  )
}

interface Props {
  readonly onClose: () => void
  /** An approved template to begin with. */
  readonly template?: { readonly id: string; readonly name: string }
}

/** The state of the form, and its request. */
const useNewTent = ({ onClose, template }: Props) => {
  const navigate = useNavigate()
  const [values, setValues] = useState<Values>({ name: template?.name ?? "", way: "prompt", html: "" })
  const [asked, setAsked] = useState<Asked>({ ...noneAsked, templateId: template?.id ?? null })
  const uploads = useUploads(null)
  const { html, name, way } = values
  const create = useMutationOf("tents", "create", {
    onDone: ({ id }) => {
      // Own HTML uses no files.
      if (way === "html") uploads.discard()
      return navigate({ to: `/tents/${id}` })
    },
  })
  const missing = useMissingValues(asked)
  const isPrompt = way === "prompt"
  const payload: CreateTent = { name: name.trim(), ...(isPrompt ? payloadOf(asked, uploads.chosen) : { html }) }
  const isWritten = isPrompt ? asked.prompt.trim() !== "" && missing.length === 0 : html.trim() !== ""
  const isReady = name.trim() !== "" && isWritten && !uploads.isUploading
  const set = (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes }))
  const close = () => {
    uploads.discard()
    onClose()
  }
  return { values, set, asked, setAsked, uploads, create, payload, isReady, close }
}

export const NewTent = (props: Props) => {
  const { template } = props
  const words = useWords("tents")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const { asked, close, create, isReady, payload, set, setAsked, uploads, values } = useNewTent(props)
  const { html, name, way } = values
  const isPrompt = way === "prompt"
  const { errors, rest } = fieldErrors(create.error, ["name", "prompt", "html"])
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    create.mutate({ payload })
  }
  return (
    <Modal
      opened
      onClose={close}
      title={words.create}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={words.name}
            description={words.nameText}
            maxLength={name_max}
            data-autofocus
            value={name}
            error={errors["name"]}
            onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          />
          {template === undefined ? (
            <Way value={way} onChange={(next) => set({ way: next })} />
          ) : (
            <Text size="sm">{words.fromTemplate(template.name)}</Text>
          )}
          {isPrompt ? (
            <PromptFields
              asked={asked}
              error={errors["prompt"]}
              isOfTemplate={template !== undefined}
              uploads={uploads}
              onChange={setAsked}
            />
          ) : (
            <Textarea
              label={words.html}
              description={words.htmlText}
              autosize
              minRows={8}
              maxRows={16}
              value={html}
              error={errors["html"]}
              onChange={({ currentTarget }) => set({ html: currentTarget.value })}
            />
          )}
          {create.isError && Object.keys(errors).length === 0 && <Problem error={create.error} issues={rest} />}
          <Footer
            payload={payload}
            isReady={isReady}
            isPending={create.isPending}
            action={isPrompt ? words.make : words.createAction}
            onClose={close}
          />
        </Stack>
      </form>
    </Modal>
  )
}
