// The form of a new template: blank, or written by the AI. Its HTML is edited on its screen.
import { Button, Group, SegmentedControl, Stack, Textarea, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useNavigate } from "@tanstack/react-router"
import { useMutationOf } from "../api/mutations.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly of: "emails" | "tents"
  readonly onClose: () => void
}

export const NewTemplate = ({ of, onClose }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const form = useForm({ initialValues: { name: "", way: "blank", prompt: "" } })
  const group = of === "tents" ? "tentTemplates" : "emailTemplates"
  const create = useMutationOf(group, "create", {
    done: () => words.templates.created,
    onDone: ({ template_id }) => navigate({ to: `/templates/${of}/${template_id}` }),
  })
  const { name, prompt, way } = form.values
  const payload = { name: name.trim(), ...(way === "ai" ? { prompt } : {}) }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.templates.create}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={form.onSubmit(() => create.mutate({ payload }))}>
        <Stack>
          <TextInput label={words.fields.name} maxLength={200} data-autofocus {...form.getInputProps("name")} />
          <SegmentedControl
            size="xs"
            aria-label={words.way}
            data={[
              { value: "blank", label: words.ways.blank },
              { value: "ai", label: words.ways.ai },
            ]}
            {...form.getInputProps("way")}
          />
          {way === "ai" && (
            <Textarea
              label={words.change}
              autosize
              minRows={4}
              maxRows={12}
              maxLength={10_000}
              {...form.getInputProps("prompt")}
            />
          )}
          {create.isError && <Problem error={create.error} />}
          <Group justify="space-between">
            <CurlButton call={[group, "create", { payload }]} />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {shell.cancel}
              </Button>
              <Button
                type="submit"
                disabled={name.trim() === "" || (way === "ai" && prompt.trim() === "")}
                loading={create.isPending}
              >
                {way === "ai" ? words.writeAction : words.templates.createAction}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
