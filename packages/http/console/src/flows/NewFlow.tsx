// The form of a new flow: its name, and what it begins with.
import { Radio, Stack, TextInput } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { Problem } from "../parts/Problem.tsx"
import { useTimeZone } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { type Starter, starterOf, starters } from "./starters.ts"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

interface Props {
  readonly onClose: () => void
}

export const NewFlow = ({ onClose }: Props) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const timezone = useTimeZone()
  const [starter, setStarter] = useState<Starter>("empty")
  const [typed, setTyped] = useState<string | null>(null)
  const name = typed ?? (starter === "empty" ? "" : words.starters[starter].name)
  const payload = { name: name.trim(), ...starterOf(starter, words.starterLabels, timezone) }
  const create = useMutationOf("flows", "create", { onDone: ({ flow_id }) => navigate({ to: `/flows/${flow_id}` }) })
  const { errors, rest } = fieldErrors(create.error, ["name"])
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    create.mutate({ payload })
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.create}
      fullScreen={isPhone}
      size="lg"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Radio.Group
            label={words.beginWith}
            value={starter}
            onChange={(next) => setStarter(starters.find((each) => each === next) ?? "empty")}
          >
            <Stack gap="xs" mt="xs">
              {starters.map((each) => (
                <Radio
                  key={each}
                  value={each}
                  label={words.starters[each].title}
                  description={words.starters[each].text}
                />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            label={words.name}
            description={words.nameText}
            required
            maxLength={200}
            data-autofocus
            value={name}
            error={errors["name"]}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {create.isError && Object.keys(errors).length === 0 && <Problem error={create.error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={["flows", "create", { payload }]} />}
            action={words.createAction}
            isPending={create.isPending}
            isReady={name.trim() !== ""}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
