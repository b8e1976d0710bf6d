//! The secrets that an installation and its tenants hold and replace on a schedule.

use crate::named::vocabulary;

vocabulary! {
    /// A kind of secret.
    SecretKind {
        /// The master key.
        MasterKey = "master_key",
        /// The passwords of the databases.
        DatabasePassword = "database_password",
        /// The secret key of the S3 server with the pictures.
        BucketKey = "bucket_key",
        /// The client secret at the OpenID provider.
        OpenIdClientSecret = "openid_client_secret",
        /// The token for the key service.
        KeyServiceToken = "key_service_token",
        /// A webhook signing secret of a tenant.
        WebhookSecret = "webhook_secret",
        /// An API key of a tenant.
        ApiKey = "api_key",
    }
}
