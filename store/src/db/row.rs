//! Structs that are read from the rows of a query.

/// Declares a struct that is read from a row of either database, each field from the column with its name. A first line `..name: Type;`
/// is a field that is read from the same row.
///
/// `sqlx::FromRow` would derive the same, but its crate compiles both drivers, with TLS, a second time.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $access:vis struct $name:ident {
            $(..$part:ident: $part_type:ty;)?
            $($(#[$field_meta:meta])* $field_access:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        $access struct $name {
            $($part: $part_type,)?
            $($(#[$field_meta])* $field_access $field: $type,)*
        }

        $crate::db::row!(read sqlx::sqlite::SqliteRow, $name, [$($part)?], [$($field)*]);
        $crate::db::row!(read sqlx::postgres::PgRow, $name, [$($part)?], [$($field)*]);
    };
    (read $row:ty, $name:ident, [$($part:ident)?], [$($field:ident)*]) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> Result<Self, sqlx::Error> {
                Ok(Self {
                    $($part: sqlx::FromRow::from_row(row)?,)?
                    $($field: sqlx::Row::try_get(row, stringify!($field))?,)*
                })
            }
        }
    };
}
pub(crate) use row;
