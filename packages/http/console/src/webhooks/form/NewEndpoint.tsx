// A new endpoint: its form, then its secret, which is shown once.
import { useNavigate } from "@tanstack/react-router"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { useWords } from "../../words/Words.tsx"
import { blank, creationOf } from "./draft.ts"
import { EndpointForm } from "./EndpointForm.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

const noHeaders: ReadonlyArray<string> = []

export const NewEndpoint = ({ onClose }: { readonly onClose: () => void }) => {
  const words = useWords("webhooks")
  const navigate = useNavigate()
  const create = useMutationOf("webhookEndpoints", "create")
  const { data } = create
  if (data !== undefined) {
    const { endpoint_id: endpointId } = data
    return (
      <SecretDialog
        title={words.created}
        secret={data.secret}
        onClose={() => {
          onClose()
          void navigate({ to: "/webhooks/$endpointId", params: { endpointId } })
        }}
      />
    )
  }
  return (
    <EndpointForm
      title={words.createTitle}
      action={words.createAction}
      first={blank}
      headersBefore={noHeaders}
      isPending={create.isPending}
      error={create.error}
      isChanged={() => true}
      onSubmit={(values) => create.mutate({ payload: creationOf(values) })}
      onClose={onClose}
      beside={(values) => <CurlButton call={["webhookEndpoints", "create", { payload: creationOf(values) }]} />}
    />
  )
}
